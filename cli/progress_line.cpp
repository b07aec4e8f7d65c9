#include "cli/progress_line.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/signals.h"

namespace braid::cli {
namespace {

using Clock = std::chrono::steady_clock;

class Line {
 public:
  explicit Line(bool shown) : shown_(shown) {}
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() { clear(); }

  bool update(std::string_view phase, std::int64_t done, std::int64_t total) {
    if (interrupted()) return false;
    const auto now = Clock::now();
    if (title(phase) != title(phase_)) phase_start_ = now;
    phase_ = phase;
    using std::chrono::milliseconds;
    if (!shown_ || now - start_ < milliseconds(500) || now - last_ < milliseconds(100)) return true;
    last_ = now;
    fmt::print(stderr, "\r\033[K{}", text(done, total, now));
    std::fflush(stderr);
    drawn_ = true;
    return true;
  }

 private:
  /// What stands before a colon; behind it a phase tells how it gets on.
  static std::string_view title(std::string_view phase) { return phase.substr(0, phase.find(':')); }

  std::string text(std::int64_t done, std::int64_t total, Clock::time_point now) const {
    if (total <= 0 || done > total) return fmt::format("{}…", phase_);
    constexpr int width = 24;
    const double share = static_cast<double>(done) / static_cast<double>(total);
    const int filled = static_cast<int>(share * width);
    std::string bar(static_cast<std::size_t>(filled), '#');
    bar.resize(width, '.');
    std::string line = fmt::format("{} [{}] {:3.0f} %", phase_, bar, share * 100);
    const double seconds = std::chrono::duration<double>(now - phase_start_).count();
    if (share > 0.05 && seconds > 1)
      line += fmt::format(", about {:.0f} s left", seconds / share * (1 - share));
    return line;
  }

  void clear() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
  }

  bool shown_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_;
  Clock::time_point phase_start_ = Clock::now();
  std::string phase_;
};

}  // namespace

Progress progress_line(bool quiet) {
  auto line = std::make_shared<Line>(!quiet && ::isatty(STDERR_FILENO) == 1);
  return [line](std::string_view phase, std::int64_t done, std::int64_t total) {
    return line->update(phase, done, total);
  };
}

}  // namespace braid::cli
