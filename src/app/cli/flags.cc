#include "app/cli/flags.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace ksched::cli {
namespace {

struct ConnectionFlag {
  const char* name;  // as cxxopts takes it
  const char* help;
  const char* value;  // what stands for the value in the help; null: the flag has none
  std::string kube::ClientOptions::*member;
};

using Options = kube::ClientOptions;
constexpr ConnectionFlag kConnectionFlags[] = {
    {"kubeconfig", "The kubeconfig file (default: those of KUBECONFIG, or ~/.kube/config)", "FILE",
     &Options::kubeconfig},
    {"context", "The context of the kubeconfig", "NAME", &Options::context},
    {"cluster", "The cluster of the kubeconfig", "NAME", &Options::cluster},
    {"user", "The user of the kubeconfig", "NAME", &Options::user},
    {"s,server", "Address of the API server", "URL", &Options::server},
    {"token", "Bearer token for the API server", "TOKEN", &Options::token},
    {"username", "Name for basic authentication", "NAME", &Options::username},
    {"password", "Password for basic authentication", "TEXT", &Options::password},
    {"as", "User to impersonate", "NAME", &Options::as},
    {"as-uid", "UID to impersonate", "UID", &Options::as_uid},
    {"request-timeout", "How long one request may take (1s, 2m, 3h); 0: as long as it likes", "TIME",
     &Options::request_timeout},
    {"tls-server-name", "Name that the server's certificate is checked for", "NAME", &Options::tls_server_name},
    {"certificate-authority", "Certificates of the authorities to trust", "FILE", &Options::certificate_authority},
    {"client-certificate", "Client certificate", "FILE", &Options::client_certificate},
    {"client-key", "Key of the client certificate", "FILE", &Options::client_key},
};

std::string LongName(const std::string& name) { return name.substr(name.find(',') + 1); }

std::vector<std::string> FlagNames(const cxxopts::Options& options) {
  std::vector<std::string> names;
  for (const auto& option : options.group_help("").options) {
    for (const std::string& name : option.l) names.push_back("--" + name);
  }
  return names;
}

// What was left over by the parser.
Error Unmatched(const std::string& argument, const cxxopts::Options& options) {
  if (argument.empty() || argument[0] != '-') return Error{"unexpected argument \"" + argument + "\""};
  const std::string flag = argument.substr(0, argument.find('='));
  const std::string meant = Suggest(flag, FlagNames(options));
  return Error{"unknown flag: " + flag + (meant.empty() ? "" : " (did you mean " + meant + "?)")};
}

// The parser writes quotes that not every terminal shows.
std::string PlainQuotes(std::string text) {
  for (const std::string quote : {"\u2018", "\u2019"}) {
    for (size_t at = text.find(quote); at != std::string::npos; at = text.find(quote)) {
      text.replace(at, quote.size(), "\"");
    }
  }
  return text;
}

bool IsNumber(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// -v, -v=6, -v 6 and --v=6 as kubectl has them: the parser takes neither a long name of one letter nor a value apart
// that may be left out.
std::vector<std::string> PlainVerbosity(const std::vector<std::string>& arguments) {
  const std::string verbosity = "--verbosity";
  std::vector<std::string> plain;
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (name == "-v" || name == "--v") {
      plain.push_back(verbosity + argument.substr(name.size()));
    } else if (argument.starts_with("-v") && IsNumber(argument.substr(2))) {
      plain.push_back(verbosity + "=" + argument.substr(2));
    } else if (!plain.empty() && plain.back() == verbosity && IsNumber(argument)) {
      plain.back() += "=" + argument;
    } else {
      plain.push_back(argument);
    }
  }
  return plain;
}

// As many edits as make one word of the other.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

}  // namespace

Result<void> ParseFlags(cxxopts::Options& options, const std::vector<std::string>& arguments,
                        const std::function<Result<void>(const cxxopts::ParseResult&)>& read) {
  const std::vector<std::string> plain = PlainVerbosity(arguments);
  std::vector<const char*> argv = {"ksched"};
  std::ranges::transform(plain, std::back_inserter(argv), [](const std::string& text) { return text.c_str(); });
  try {
    options.set_width(110).allow_unrecognised_options();
    const cxxopts::ParseResult parsed = options.parse(static_cast<int>(argv.size()), argv.data());
    if (!parsed["help"].as<bool>() && !parsed.unmatched().empty()) {
      return Unmatched(parsed.unmatched().front(), options);
    }
    return read(parsed);
  } catch (const cxxopts::exceptions::exception& exception) {
    return Error{PlainQuotes(exception.what())};
  }
}

std::string DescribeFlags(const cxxopts::Options& options) {
  std::string help = options.help();
  help.erase(0, help.find("  -"));  // the head is ours
  for (size_t at = help.find(" \n"); at != std::string::npos; at = help.find(" \n")) help.erase(at, 1);
  return help;
}

void AddConnectionFlags(cxxopts::Options& options) {
  auto add = options.add_options();
  add("n,namespace", "Namespace of objects that name none (default: the context's)", cxxopts::value<std::string>(),
      "NAME");
  for (const ConnectionFlag& flag : kConnectionFlags) {
    add(flag.name, flag.help, cxxopts::value<std::string>(), flag.value);
  }
  add("as-group", "Group to impersonate. Repeatable", cxxopts::value<std::vector<std::string>>(), "NAME");
  add("as-user-extra", "Extra of the user to impersonate, as key=value. Repeatable",
      cxxopts::value<std::vector<std::string>>(), "PAIR");
  add("insecure-skip-tls-verify", "Take any certificate of the server: the connection is not safe then");
  add("disable-compression", "Do not ask the server to compress its answers");
}

kube::ClientOptions ReadConnectionFlags(const cxxopts::ParseResult& parsed) {
  kube::ClientOptions options;
  options.ns = ValueOr<std::string>(parsed, "namespace", "");
  for (const ConnectionFlag& flag : kConnectionFlags) {
    options.*flag.member = ValueOr<std::string>(parsed, LongName(flag.name), "");
  }
  options.as_groups = ValueOr<std::vector<std::string>>(parsed, "as-group", {});
  options.as_user_extra = ValueOr<std::vector<std::string>>(parsed, "as-user-extra", {});
  const auto given = [&](const char* flag) {
    return parsed.count(flag) == 0 ? std::optional<bool>() : parsed[flag].as<bool>();
  };
  options.insecure_skip_tls_verify = given("insecure-skip-tls-verify");
  options.disable_compression = given("disable-compression");
  return options;
}

std::vector<std::string> ConnectionFlagsGiven(const cxxopts::ParseResult& parsed) {
  std::vector<std::string> names;
  const auto note = [&](const std::string& name) {
    if (parsed.count(name) != 0) names.push_back("--" + name);
  };
  for (const ConnectionFlag& flag : kConnectionFlags) note(LongName(flag.name));
  for (const char* name : {"as-group", "as-user-extra", "insecure-skip-tls-verify", "disable-compression"}) note(name);
  return names;
}

void AddVerbosityFlag(cxxopts::Options& options) {
  options.add_options()("v,verbosity",
                        "Say on standard error whose decisions are made, and which kube-scheduler the cluster runs",
                        cxxopts::value<std::string>()->implicit_value("1"), "LEVEL");
}

Result<int32_t> ReadVerbosity(const cxxopts::ParseResult& parsed) {
  if (parsed.count("verbosity") == 0) return 0;
  return NumberOf("v", parsed["verbosity"].as<std::string>());
}

std::vector<std::string> SplitAtCommas(const std::vector<std::string>& values) {
  std::vector<std::string> parts;
  for (const std::string& value : values) {
    for (size_t start = 0; start <= value.size();) {
      const size_t end = std::min(value.find(',', start), value.size());
      parts.push_back(value.substr(start, end - start));
      start = end + 1;
    }
  }
  return parts;
}

Result<bool> OneOf(const cxxopts::ParseResult& parsed, const std::string& flag, const std::string& if_false,
                   const std::string& if_true) {
  if (parsed.count(flag) == 0) return false;
  const std::string& value = parsed[flag].as<std::string>();
  if (value == if_false || value == if_true) return value == if_true;
  return Error{"--" + flag + ": \"" + value + "\" is neither " + if_false + " nor " + if_true};
}

Result<int32_t> NumberOf(const std::string& flag, const std::string& text) {
  int32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure == std::errc() && end == text.data() + text.size()) return number;
  return Error{"--" + flag + ": \"" + text + "\" is not a whole number"};
}

std::string Suggest(const std::string& word, const std::vector<std::string>& words) {
  std::string best;
  size_t nearest = 3;
  for (const std::string& one : words) {
    if (word.size() > 2 && one.starts_with(word)) return one;
    const size_t distance = EditDistance(word, one);
    if (distance < nearest) nearest = distance, best = one;
  }
  return best;
}

}  // namespace ksched::cli
