#include "base/date.h"

#include <array>
#include <chrono>
#include <ctime>

namespace braid {

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string date_text(std::int64_t seconds_since_1970) {
  constexpr std::int64_t kEndOf9999 = 253'402'300'799;
  const std::time_t moment = seconds_since_1970;
  std::tm parts{};
  if (moment <= 0 || moment > kEndOf9999 || ::gmtime_r(&moment, &parts) == nullptr)
    return "an unknown day";
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return {text.data(), length};
}

}  // namespace braid
