#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace braid::sim {

/// What a kernel runs out of first on a whole device: see class_of().
enum class KernelClass { Compute, Memory };
std::string_view name(KernelClass kind);

/// A row of a spec file: how many times as long as alone each of two kernels takes while the other
/// runs, each filling half of the device.
struct StatedInterference {
  std::string first;  ///< the name of a class or of a family
  std::string second;
  double slowdown_first = 1;
  double slowdown_second = 1;
  std::string source;  ///< "measured on …"
};

/// Reads the rows. Throws Model with the place for a name that is neither a class nor one of the
/// families, a slowdown below 1 or above 10, and a pair that stands there twice.
std::vector<StatedInterference> read_interference(const JsonPlace& place,
                                                  std::span<const std::string> families);

/// A kernel, as rows speak of it.
struct KernelKind {
  std::string_view family;
  KernelClass kind = KernelClass::Compute;

  bool operator==(const KernelKind&) const = default;
};

struct Slowdowns {
  double first = 1;
  double second = 1;
  const StatedInterference* row = nullptr;
};

/// What the rows say about the pair, in either order: a row that names more families by name goes
/// before one that names classes, an earlier one before a later. Nothing if none does.
std::optional<Slowdowns> stated(std::span<const StatedInterference> rows, const KernelKind& first,
                                const KernelKind& second);

}  // namespace braid::sim
