// Metrics for Prometheus: a registry of families, and its text (version 0.0.4). What observes does not wait for who
// scrapes: values are atomic, and only a new set of labels takes a lock.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/http.h"

namespace ksched::serve {

class Counter {
 public:
  void Add(double by = 1) { value_.fetch_add(by, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

class Gauge {
 public:
  void Set(double value) { value_.store(value, std::memory_order_relaxed); }
  void Add(double by) { value_.fetch_add(by, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

// Upper bounds that grow by a factor, as Prometheus' ExponentialBuckets.
std::vector<double> ExponentialBuckets(double start, double factor, int count);

class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}
  void Observe(double value);
  const std::vector<double>& bounds() const { return bounds_; }
  uint64_t count(size_t bucket) const { return counts_[bucket].load(std::memory_order_relaxed); }  // not summed up
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  const std::vector<double> bounds_;
  std::vector<std::atomic<uint64_t>> counts_;  // the last: beyond all bounds
  std::atomic<double> sum_{0};
};

struct MetricInfo {
  std::string name, help;
  std::vector<std::string> labels;  // in the order of the alphabet
};

class Registry {
 public:
  class AnyFamily {
   public:
    explicit AnyFamily(MetricInfo info) : info_(std::move(info)) {}
    virtual ~AnyFamily() = default;
    virtual void Write(std::string& out) const = 0;
    const MetricInfo& info() const { return info_; }

   protected:
    const MetricInfo info_;
  };

  // The metrics of one name. Without labels there is one, from the start.
  template <typename T>
  class Family final : public AnyFamily {
   public:
    using Make = std::function<std::unique_ptr<T>()>;
    Family(MetricInfo info, Make make) : AnyFamily(std::move(info)), make_(std::move(make)) {
      if (info_.labels.empty()) With({});
    }
    // The one with these values of the labels; it lives as long as the registry.
    T& With(const std::vector<std::string>& values);
    T& operator*() { return With({}); }
    void Write(std::string& out) const override;

   private:
    const Make make_;
    mutable std::mutex mutex_;
    std::map<std::vector<std::string>, std::unique_ptr<T>> all_;
  };

  // Before anything is served.
  Family<Counter>& AddCounter(MetricInfo info);
  Family<Gauge>& AddGauge(MetricInfo info);
  Family<Histogram>& AddHistogram(MetricInfo info, std::vector<double> bounds);
  // Families that others write, at each scrape and in its thread.
  void AddText(std::function<std::string()> text) { texts_.push_back(std::move(text)); }
  // Left out of the text.
  void Disable(const std::vector<std::string>& names) { disabled_.insert(names.begin(), names.end()); }

  // All families by name, then the texts. From any thread.
  std::string Text() const;

 private:
  template <typename T>
  Family<T>& Add(MetricInfo info, typename Family<T>::Make make);

  std::map<std::string, std::unique_ptr<AnyFamily>> families_;
  std::vector<std::function<std::string()>> texts_;
  std::set<std::string> disabled_;
};

// The page /metrics: the registry, what is said of the process, and `more`, which is such text too.
Response AnswerMetrics(const Registry& registry, const std::string& more, const Request& request);

// As Go prints a float64: 1e-05, 7.4e+07, 0.001.
std::string FormatValue(double value);
// {a="x",b="y"}; "" without labels.
std::string FormatLabels(const std::vector<std::string>& names, const std::vector<std::string>& values);

}  // namespace ksched::serve
