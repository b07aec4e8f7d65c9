#include "cli/optimise_modes.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"

namespace braid::cli {
namespace {

OptimiseMode mode_named(const std::string& name, double seconds) {
  if (name == "none") return {name};
  if (name == "sum")
    return {name, OptimiseOptions{.cost = RewriteCost::Sum, .seconds = seconds, .verify = false}};
  if (name == "mixed") return {name, OptimiseOptions{.seconds = seconds}};
  raise(ErrorKind::Usage,
        fmt::format("--optimise: there is no {}; choose of none, sum, mixed{}", quote(name),
                    did_you_mean(name, std::vector<std::string>{"none", "sum", "mixed"})));
}

}  // namespace

std::vector<OptimiseMode> chosen_optimise_modes(const std::vector<std::string>& wanted,
                                                double seconds) {
  std::vector<OptimiseMode> modes;
  for (const std::string& name : wanted) {
    if (std::ranges::count(modes, name, &OptimiseMode::name) > 0)
      raise(ErrorKind::Usage, fmt::format("--optimise names {} twice", quote(name)));
    modes.push_back(mode_named(name, seconds));
    if (modes.back().how && seconds <= 0)
      raise(ErrorKind::Usage, "--optimise-seconds: a search needs more than 0 seconds");
  }
  if (modes.empty()) raise(ErrorKind::Usage, "--optimise names nothing; say none for no search");
  return modes;
}

std::string contender_label(const std::string& scheduler, const std::string& mode) {
  return mode == "none" ? scheduler : fmt::format("{} + {}", scheduler, mode);
}

}  // namespace braid::cli
