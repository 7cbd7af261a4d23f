#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "serve/process_metrics.h"

namespace ksched::serve {
namespace {

std::string Escape(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '"' && quotes)
      out += "\\\"";
    else
      out += c;
  }
  return out;
}

void WriteHead(std::string& out, const MetricInfo& info, std::string_view type) {
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", info.name, Escape(info.help, false), info.name, type);
}

std::string_view TypeOf(const Counter&) { return "counter"; }
std::string_view TypeOf(const Gauge&) { return "gauge"; }
std::string_view TypeOf(const Histogram&) { return "histogram"; }

template <typename T>
void WriteOne(std::string& out, const MetricInfo& info, const std::vector<std::string>& values, const T& metric) {
  out += fmt::format("{}{} {}\n", info.name, FormatLabels(info.labels, values), FormatValue(metric.value()));
}

void WriteOne(std::string& out, const MetricInfo& info, const std::vector<std::string>& values,
              const Histogram& metric) {
  std::vector<std::string> labels = info.labels, with_bound = values;
  labels.emplace_back("le");
  with_bound.emplace_back();
  uint64_t total = 0;
  for (size_t i = 0; i <= metric.bounds().size(); ++i) {
    total += metric.count(i);
    with_bound.back() = i < metric.bounds().size() ? FormatValue(metric.bounds()[i]) : "+Inf";
    out += fmt::format("{}_bucket{} {}\n", info.name, FormatLabels(labels, with_bound), total);
  }
  const std::string plain = FormatLabels(info.labels, values);
  out += fmt::format("{0}_sum{1} {2}\n{0}_count{1} {3}\n", info.name, plain, FormatValue(metric.sum()), total);
}

}  // namespace

std::vector<double> ExponentialBuckets(double start, double factor, int count) {
  std::vector<double> bounds;
  for (int i = 0; i < count; ++i, start *= factor) bounds.push_back(start);
  return bounds;
}

void Histogram::Observe(double value) {
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  counts_[static_cast<size_t>(at)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

template <typename T>
T& Registry::Family<T>::With(const std::vector<std::string>& values) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<T>& metric = all_[values];
  if (metric == nullptr) metric = make_();
  return *metric;
}

template <typename T>
void Registry::Family<T>::Write(std::string& out) const {
  const std::lock_guard lock(mutex_);
  if (all_.empty()) return;
  WriteHead(out, info_, TypeOf(*all_.begin()->second));
  for (const auto& [values, metric] : all_) WriteOne(out, info_, values, *metric);
}

template class Registry::Family<Counter>;
template class Registry::Family<Gauge>;
template class Registry::Family<Histogram>;

template <typename T>
Registry::Family<T>& Registry::Add(MetricInfo info, typename Family<T>::Make make) {
  auto family = std::make_unique<Family<T>>(std::move(info), std::move(make));
  Family<T>& added = *family;
  families_[added.info().name] = std::move(family);
  return added;
}

Registry::Family<Counter>& Registry::AddCounter(MetricInfo info) {
  return Add<Counter>(std::move(info), [] { return std::make_unique<Counter>(); });
}

Registry::Family<Gauge>& Registry::AddGauge(MetricInfo info) {
  return Add<Gauge>(std::move(info), [] { return std::make_unique<Gauge>(); });
}

Registry::Family<Histogram>& Registry::AddHistogram(MetricInfo info, std::vector<double> bounds) {
  return Add<Histogram>(std::move(info), [bounds = std::move(bounds)] { return std::make_unique<Histogram>(bounds); });
}

std::string Registry::Text() const {
  std::string out;
  for (const auto& [name, family] : families_) {
    if (!disabled_.contains(name)) family->Write(out);
  }
  for (const auto& text : texts_) out += text();
  return out;
}

std::string FormatValue(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[64];
  const auto scientific = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  const std::string_view all(text, static_cast<size_t>(scientific.ptr - text));
  const size_t at = all.find('e');
  int exponent = 0;
  const char* digits = text + at + (all[at + 1] == '+' ? 2 : 1);
  std::from_chars(digits, scientific.ptr, exponent);
  constexpr int kSmallest = -4, kLargest = 6;  // as strconv.FormatFloat with 'g' and the shortest precision
  if (value != 0 && (exponent < kSmallest || exponent >= kLargest)) return std::string(all);
  char plain[64];
  const auto fixed = std::to_chars(plain, plain + sizeof plain, value, std::chars_format::fixed);
  return {plain, fixed.ptr};
}

std::string FormatLabels(const std::vector<std::string>& names, const std::vector<std::string>& values) {
  if (names.empty()) return "";
  std::string out = "{";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ',';
    out += names[i] + "=\"" + Escape(values[i], true) + '"';
  }
  return out + "}";
}

Response AnswerMetrics(const Registry& registry, const std::string& more, const Request& request) {
  if (request.method != "GET" && request.method != "HEAD") return TextError(405, "method not allowed");
  return {
      200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, registry.Text() + ProcessMetrics() + more};
}

}  // namespace ksched::serve
