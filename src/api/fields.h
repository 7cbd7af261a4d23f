// Tables of fields: for each API type its fields' JSON name, protobuf number (from generated.proto of k8s.io/api) and
// where the value goes. Readers and writers of every format go by these tables; what no table names is skipped.
//
//   template <>
//   struct Fields<Taint> {
//     static constexpr auto kTable = std::tuple(Field{"key", 1, At(&Taint::key)}, ...);
//   };
//
// The third argument says how the value is stored:
//   At(&T::m)           by the type of m: a string, number, bool, map, list, another type with a table, an optional;
//                       At(&T::m, &T::b) also sets the bool b when the field is there and not null
//   Part<P>()           a message whose fields are stored in the same struct: Fields<P> has its table;
//                       Part<P>(&T::m) also sets the bool m when the message is there
//   AtTable<P>(&T::m)   by the table Fields<P> instead of that of its own type; m may be an optional
//   Within(&T::m, a)    stored as `a` says in the struct m, not in T: &T::m, At(&M::n)
//   AtTime(&T::m)       a time, or a map of times
//   AtNames(&T::m)      a list of {"name": ...}, of which the names are kept
//   AtPresence(&T::m)   a bool: the field is there and not null
//   AtMatchLabels(&T::m)  a map of labels, stored as a LabelSelector's match_labels
//   AtText<P>(&T::m)    the canonical JSON of it; Fields<P> says what a message of protobuf has (in the order of names)
//
// No table has more than 63 fields.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

namespace ksched::api {

template <typename T>
struct Fields;  // specialised for each type

template <typename Access>
struct Field {
  std::string_view json;
  int number;
  Access access;
  int outer = 0;  // the number of a message around it that JSON leaves out (Volume's volumeSource); 0: none
};
template <typename Access>
Field(const char*, int, Access) -> Field<Access>;
template <typename Access>
Field(const char*, int, Access, int) -> Field<Access>;

enum class Storage { kPlain, kTime, kNames, kPresence, kMatchLabels };

template <Storage kStorage, typename T, typename M>
struct MemberAccess {
  M T::*member;
};
template <typename T, typename M>
struct PresentAccess {
  M T::*member;
  bool T::*present;
};
template <typename P, typename T, typename M>
struct TableAccess {
  M T::*member;
};
template <typename T, typename M, typename Access>
struct WithinAccess {
  M T::*outer;
  Access access;
};
template <typename P, typename T>
struct TextAccess {
  std::string T::*member;
};
template <typename P, typename Presence = void>
struct PartAccess {
  Presence present;  // the bool to set when the message is there
};
template <typename P>
struct PartAccess<P, void> {};

template <typename T, typename M>
constexpr auto At(M T::*member) {
  return MemberAccess<Storage::kPlain, T, M>{member};
}
template <typename T, typename M>
constexpr auto At(M T::*member, bool T::*present) {
  return PresentAccess<T, M>{member, present};
}
template <typename T, typename M>
constexpr auto AtTime(M T::*member) {
  return MemberAccess<Storage::kTime, T, M>{member};
}
template <typename T, typename M>
constexpr auto AtNames(M T::*member) {
  return MemberAccess<Storage::kNames, T, M>{member};
}
template <typename T>
constexpr auto AtPresence(bool T::*member) {
  return MemberAccess<Storage::kPresence, T, bool>{member};
}
template <typename P, typename T, typename M>
constexpr auto AtTable(M T::*member) {
  return TableAccess<P, T, M>{member};
}
template <typename T, typename M, typename Access>
constexpr auto Within(M T::*outer, Access access) {
  return WithinAccess<T, M, Access>{outer, access};
}
template <typename P, typename T>
constexpr auto AtText(std::string T::*member) {
  return TextAccess<P, T>{member};
}
template <typename T, typename M>
constexpr auto AtMatchLabels(M T::*member) {
  return MemberAccess<Storage::kMatchLabels, T, M>{member};
}
template <typename P>
constexpr auto Part() {
  return PartAccess<P>{};
}
template <typename P, typename T>
constexpr auto Part(bool T::*present) {
  return PartAccess<P, bool T::*>{present};
}

}  // namespace ksched::api
