// RFC 3339 times, as Go's time.Parse reads them.
#include <fmt/format.h>

#include <chrono>

#include "api/json_values.h"

namespace ksched::api {
namespace {

// Takes exactly `count` digits; -1 if they are not there.
int TakeNumber(std::string_view& rest, size_t count) {
  if (rest.size() < count) return -1;
  int number = 0;
  for (size_t i = 0; i < count; ++i) {
    if (rest[i] < '0' || rest[i] > '9') return -1;
    number = number * 10 + (rest[i] - '0');
  }
  rest.remove_prefix(count);
  return number;
}

bool Take(std::string_view& rest, char c) {
  if (rest.empty() || rest.front() != c) return false;
  rest.remove_prefix(1);
  return true;
}

// ".5" in nanoseconds; what is finer than that is cut off. False for a point without digits.
bool TakeFraction(std::string_view& rest, int64_t& nanoseconds) {
  if (!Take(rest, '.') && !Take(rest, ',')) return true;
  int64_t scale = 100'000'000;
  size_t digits = 0;
  for (; !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; ++digits) {
    nanoseconds += (rest.front() - '0') * scale;
    scale /= 10;
    rest.remove_prefix(1);
  }
  return digits != 0;
}

// "Z", "+02:00": how far local time is ahead.
bool TakeOffset(std::string_view& rest, int64_t& seconds) {
  if (Take(rest, 'Z')) return true;
  const bool ahead = Take(rest, '+');
  if (!ahead && !Take(rest, '-')) return false;
  const int hours = TakeNumber(rest, 2);
  if (hours < 0 || hours > 24 || !Take(rest, ':')) return false;
  const int minutes = TakeNumber(rest, 2);
  if (minutes < 0 || minutes > 60) return false;
  seconds = (hours * 60 + minutes) * (ahead ? 60 : -60);
  return true;
}

}  // namespace

std::optional<TimeNs> ParseTime(std::string_view text) {
  const int year = TakeNumber(text, 4);
  if (year < 0 || !Take(text, '-')) return std::nullopt;
  const int month = TakeNumber(text, 2);
  if (month < 0 || !Take(text, '-')) return std::nullopt;
  const int day = TakeNumber(text, 2);
  if (day < 0 || !Take(text, 'T')) return std::nullopt;
  const int hour = TakeNumber(text, 2);
  if (hour < 0 || hour > 23 || !Take(text, ':')) return std::nullopt;
  const int minute = TakeNumber(text, 2);
  if (minute < 0 || minute > 59 || !Take(text, ':')) return std::nullopt;
  const int second = TakeNumber(text, 2);
  if (second < 0 || second > 59) return std::nullopt;
  int64_t nanoseconds = 0, offset = 0;
  if (!TakeFraction(text, nanoseconds) || !TakeOffset(text, offset) || !text.empty()) return std::nullopt;

  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int64_t seconds = days * 86'400 + hour * 3'600 + minute * 60 + second - offset;
  // Years that 64 bits of nanoseconds cannot say (before 1678, after 2261) become the nearest that they can.
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  if (seconds >= INT64_MAX / kNsPerSecond) return INT64_MAX;
  if (seconds <= INT64_MIN / kNsPerSecond) return INT64_MIN;
  return seconds * kNsPerSecond + nanoseconds;
}

std::string FormatTime(TimeNs time) {
  using std::chrono::days, std::chrono::nanoseconds;
  const std::chrono::sys_time<nanoseconds> point{nanoseconds(time)};
  const auto midnight = std::chrono::floor<days>(point);
  const std::chrono::year_month_day date(midnight);
  const std::chrono::hh_mm_ss clock(point - midnight);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (clock.subseconds().count() != 0) {
    text += fmt::format(".{:09}", clock.subseconds().count());
    text.resize(text.find_last_not_of('0') + 1);
  }
  return text + "Z";
}

}  // namespace ksched::api
