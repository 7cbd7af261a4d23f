// What the flags of all commands have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Values are taken as they are: a group may have a comma in its name. SplitAtCommas is for flags that are lists.
#define CXXOPTS_VECTOR_DELIMITER '\0'
#include <cxxopts.hpp>

#include "base/result.h"
#include "kube/client_config.h"

namespace ksched::cli {

// Parses `arguments` (those after the command) and hands the result to `read`, if nothing is left over or --help is
// asked for. The error says what is wrong with which flag, and perhaps what was meant.
Result<void> ParseFlags(cxxopts::Options& options, const std::vector<std::string>& arguments,
                        const std::function<Result<void>(const cxxopts::ParseResult&)>& read);

// The description of every flag, for --help.
std::string DescribeFlags(const cxxopts::Options& options);

// Adds kubectl's flags about the connection to a cluster, and -n.
void AddConnectionFlags(cxxopts::Options& options);
kube::ClientOptions ReadConnectionFlags(const cxxopts::ParseResult& parsed);
// The names of those that were given, for "--snapshot and --context exclude each other".
std::vector<std::string> ConnectionFlagsGiven(const cxxopts::ParseResult& parsed);

// The level of -v, --v: 0 if it is not there, 1 if it has no number.
void AddVerbosityFlag(cxxopts::Options& options);
Result<int32_t> ReadVerbosity(const cxxopts::ParseResult& parsed);

template <typename T>
T ValueOr(const cxxopts::ParseResult& parsed, const std::string& flag, T otherwise) {
  return parsed.count(flag) == 0 ? otherwise : parsed[flag].as<T>();
}

// "a,b" as two, as kubectl takes -f.
std::vector<std::string> SplitAtCommas(const std::vector<std::string>& values);

// One of two words, with the meaning false and true; false if the flag is not there.
Result<bool> OneOf(const cxxopts::ParseResult& parsed, const std::string& flag, const std::string& if_false,
                   const std::string& if_true);
Result<int32_t> NumberOf(const std::string& flag, const std::string& text);

// Of `words` the one that `word` most probably was meant to be; empty if none is near.
std::string Suggest(const std::string& word, const std::vector<std::string>& words);

}  // namespace ksched::cli
