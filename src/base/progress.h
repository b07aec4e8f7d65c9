#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace braid {

/// A function that is told now and then how far long work is: `done` of `total` (0: not known) of
/// the named phase. Returning false cancels: the work stops with an Error of kind Cancelled. An
/// empty function means that no one is watching.
using Progress = std::function<bool(std::string_view phase, std::int64_t done, std::int64_t total)>;

/// Reports, and throws Cancelled if told to stop.
void report(const Progress& progress, std::string_view phase, std::int64_t done,
            std::int64_t total);

}  // namespace braid
