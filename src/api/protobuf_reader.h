// Reads typed values from protobuf by their tables (api/fields.h). Fields that no table names are passed over. Go
// writes zero values where JSON has nothing: both read alike. A field that is no list comes once in a message; what Go
// never writes, one that comes twice, is refused.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "api/field_writer.h"
#include "api/fields.h"
#include "api/protobuf_values.h"

namespace ksched::api {

// The fields of Fields<Table> from the message into `object`: Table is its type, or a part of it. False after a
// problem.
template <typename Table, typename T>
bool ReadMessage(std::string_view bytes, T& object, const FieldPath& path, ProtobufContext& context);

namespace protobuf_reader_internal {

// ---- values that have a table, lists and optionals ----

template <typename Table, typename T>
bool ReadMessageField(MessageReader& in, T& object, const FieldPath& path, ProtobufContext& context) {
  std::string_view bytes;
  if (!in.ReadBytes(bytes)) return context.Fail(path, in);
  return ReadMessage<Table>(bytes, object, path, context);
}

template <typename M>
bool ReadValue(MessageReader& in, M& out, const FieldPath& path, ProtobufContext& context) {
  if constexpr (requires { Fields<M>::kTable; }) {
    return ReadMessageField<M>(in, out, path, context);
  } else {
    return ReadProtobuf(in, out, path, context);
  }
}
template <typename M>
  requires requires { Fields<M>::kTable; }
bool ReadValue(MessageReader& in, std::vector<M>& out, const FieldPath& path, ProtobufContext& context) {
  const FieldPath element = path.Index(out.size());
  return context.TakeElement(element) && ReadMessageField<M>(in, out.emplace_back(), element, context);
}
template <typename M>
bool ReadValue(MessageReader& in, std::optional<M>& out, const FieldPath& path, ProtobufContext& context) {
  return ReadValue(in, out.emplace(), path, context);
}

template <typename M>
constexpr bool kIsList = false;
template <typename M>
constexpr bool kIsList<std::vector<M>> = true;
template <typename M>
constexpr bool kIsMap = false;
template <typename M>
constexpr bool kIsMap<boost::container::flat_map<std::string, M>> = true;
template <typename M>
constexpr bool kIsMap<std::optional<M>> = kIsMap<M>;

// ---- by how a field is stored; each says whether it may come more than once, and where all of it is read at the first
// ----

enum class Occurs { kOnce, kList, kMap };
template <typename M>
constexpr Occurs kOccursByType = kIsList<M>  ? Occurs::kList
                                 : kIsMap<M> ? Occurs::kMap
                                             : Occurs::kOnce;

template <typename Access>
constexpr Occurs kOccurs = Occurs::kOnce;
template <Storage kStorage, typename T, typename M>
constexpr Occurs kOccurs<MemberAccess<kStorage, T, M>> =
    kStorage == Storage::kMatchLabels ? Occurs::kMap : kOccursByType<M>;
template <typename T, typename M>
constexpr Occurs kOccurs<PresentAccess<T, M>> = kOccursByType<M>;
template <typename T, typename M, typename Access>
constexpr Occurs kOccurs<WithinAccess<T, M, Access>> = kOccurs<Access>;

template <Storage kStorage, typename T, typename M>
bool ReadAccess(const MemberAccess<kStorage, T, M>& access, MessageReader& in, T& object, const FieldPath& path,
                ProtobufContext& context) {
  M& member = object.*access.member;
  if constexpr (kStorage == Storage::kPlain) {
    return ReadValue(in, member, path, context);
  } else if constexpr (kStorage == Storage::kTime) {
    return ReadProtobufTime(in, member, path, context);
  } else if constexpr (kStorage == Storage::kNames) {
    return ReadProtobufNames(in, member, path, context);
  } else if constexpr (kStorage == Storage::kPresence) {
    return ReadProtobufPresence(in, member, path, context);
  } else {
    static_assert(kStorage == Storage::kMatchLabels);
    return ReadProtobuf(in, member.emplace().match_labels, path, context);
  }
}

template <typename T, typename M>
bool ReadAccess(const PresentAccess<T, M>& access, MessageReader& in, T& object, const FieldPath& path,
                ProtobufContext& context) {
  object.*access.present = true;
  return ReadValue(in, object.*access.member, path, context);
}

template <typename P, typename T, typename M>
bool ReadAccess(const TableAccess<P, T, M>& access, MessageReader& in, T& object, const FieldPath& path,
                ProtobufContext& context) {
  return ReadMessageField<P>(in, object.*access.member, path, context);
}
template <typename P, typename T, typename M>
bool ReadAccess(const TableAccess<P, T, std::optional<M>>& access, MessageReader& in, T& object, const FieldPath& path,
                ProtobufContext& context) {
  return ReadMessageField<P>(in, (object.*access.member).emplace(), path, context);
}

template <typename T, typename M, typename Access>
bool ReadAccess(const WithinAccess<T, M, Access>& access, MessageReader& in, T& object, const FieldPath& path,
                ProtobufContext& context) {
  return ReadAccess(access.access, in, object.*access.outer, path, context);
}

template <typename P, typename T>
bool ReadAccess(const TextAccess<P, T>& access, MessageReader& in, T& object, const FieldPath& path,
                ProtobufContext& context) {
  P value;
  if (!ReadMessageField<P>(in, value, path, context)) return false;
  object.*access.member = TableJson(value);
  return true;
}

template <typename P, typename Presence, typename T>
bool ReadAccess(const PartAccess<P, Presence>& access, MessageReader& in, T& object, const FieldPath& path,
                ProtobufContext& context) {
  if constexpr (!std::is_void_v<Presence>) object.*access.present = true;
  return ReadMessageField<P>(in, object, path, context);
}

// ---- tables by number ----

template <typename T>
struct NumberedField {
  bool (*read)(MessageReader&, T&, const FieldPath&, ProtobufContext&);
  std::string_view name;
  Occurs occurs;
};

template <typename Table, typename T, size_t kIndex>
bool ReadField(MessageReader& in, T& object, const FieldPath& path, ProtobufContext& context) {
  return ReadAccess(std::get<kIndex>(Fields<Table>::kTable).access, in, object, path, context);
}

template <typename Table, typename T, size_t... kIndices>
constexpr auto MakeNumberedFields(std::index_sequence<kIndices...>) {
  return std::array<NumberedField<T>, sizeof...(kIndices)>{
      NumberedField<T>{&ReadField<Table, T, kIndices>, std::get<kIndices>(Fields<Table>::kTable).json,
                       kOccurs<std::remove_cvref_t<decltype(std::get<kIndices>(Fields<Table>::kTable).access)>>}...};
}

// From a number to the field's place in the table, of the fields that are in the message `kOuter` (0: in none).
template <typename Table, int kOuter>
class NumberIndex {
 public:
  static constexpr size_t kCount = std::tuple_size_v<decltype(Fields<Table>::kTable)>;
  static_assert(kCount < 64);

  static int Find(int number) { return number < kEnd ? kPlaces[static_cast<size_t>(number)] : -1; }

 private:
  static constexpr int kEnd = std::apply(
      [](const auto&... fields) {
        int end = 1;
        ((end = fields.outer == kOuter && fields.number >= end ? fields.number + 1 : end), ...);
        return end;
      },
      Fields<Table>::kTable);
  static constexpr auto kPlaces = std::apply(
      [](const auto&... fields) {
        std::array<int8_t, static_cast<size_t>(kEnd)> places{};
        places.fill(-1);
        int8_t place = 0;
        ((fields.outer == kOuter ? places[static_cast<size_t>(fields.number)] = place++ : place++), ...);
        return places;
      },
      Fields<Table>::kTable);
};

// The number of the message around some fields that JSON leaves out; 0: there is none. A table has at most one.
template <typename Table>
constexpr int kOuterOf = std::apply(
    [](const auto&... fields) {
      int outer = 0;
      ((outer = fields.outer != 0 ? fields.outer : outer), ...);
      return outer;
    },
    Fields<Table>::kTable);

template <typename Table, int kOuter, typename T>
bool ReadMessagePart(std::string_view bytes, T& object, const FieldPath& path, ProtobufContext& context) {
  using Index = NumberIndex<Table, kOuter>;
  static constexpr auto kFields = MakeNumberedFields<Table, T>(std::make_index_sequence<Index::kCount>());
  uint64_t seen = 0;
  MessageReader in(bytes);
  while (in.Next()) {
    if constexpr (kOuter == 0 && kOuterOf<Table> != 0) {
      if (in.number() == kOuterOf<Table>) {
        std::string_view inner;
        const bool twice = std::exchange(seen, seen | uint64_t{1} << 63) >> 63 != 0;
        if (twice) return context.Fail(path, "malformed protobuf: a field comes twice");
        if (!in.ReadBytes(inner)) return context.Fail(path, in);
        if (!ReadMessagePart<Table, kOuterOf<Table>>(inner, object, path, context)) return false;
        continue;
      }
    }
    const int place = Index::Find(in.number());
    if (place < 0) continue;
    const NumberedField<T>& field = kFields[static_cast<size_t>(place)];
    const uint64_t bit = uint64_t{1} << place;
    if ((seen & bit) != 0 && field.occurs != Occurs::kList) {
      if (field.occurs == Occurs::kMap) continue;  // read with the first of its entries
      return context.Fail(path.Child(field.name), "malformed protobuf: the field comes twice");
    }
    seen |= bit;
    if (!field.read(in, object, path.Child(field.name), context)) return false;
  }
  return !in.failed() || context.Fail(path, in);
}

}  // namespace protobuf_reader_internal

template <typename Table, typename T>
bool ReadMessage(std::string_view bytes, T& object, const FieldPath& path, ProtobufContext& context) {
  return protobuf_reader_internal::ReadMessagePart<Table, 0>(bytes, object, path, context);
}

}  // namespace ksched::api
