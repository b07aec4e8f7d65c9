#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tensor/difference.h"
#include "tensor/mismatch.h"
#include "tensor/tolerance.h"

namespace braid::cli {

/// What a user says about tolerance; what is left open follows the types of what is compared.
struct GivenTolerance {
  std::optional<double> absolute;
  std::optional<double> relative;  ///< of real numbers; whole ones have none
  /// In which real numbers were computed, if that is coarser than what came out.
  ElementType computed_in = ElementType::F32;
};

/// An output beside what is expected of it. Where their element types differ, both were converted
/// to one that holds either.
struct OutputComparison {
  std::string types = {};  ///< "f16, f32 expected", if they differ
  std::int64_t elements = 0;
  Tolerance tolerance = {};
  Difference difference = {};
  double beyond = 0;  ///< how far elements of a mismatch are apart at least
  Mismatch mismatch = {};

  double allowed() const { return tolerance.of(difference.largest); }
  bool is_equal() const { return mismatch.count == 0; }
  bool is_identical() const { return difference.identical && types.empty(); }
  /// The largest difference over the allowed one: above 1 they are not equal; infinite if one has
  /// a NaN or infinity that the other has not.
  double excess() const;
};

/// Counts as a mismatch what is beyond `slack` times the tolerance. Throws Mismatch if the shapes
/// differ.
OutputComparison compare_output(const Tensor& got, const Tensor& expected,
                                const GivenTolerance& given = {}, double slack = 1);

/// "3 of 1,000 elements differ by more than 1e-04; the first is [0,2]: 3.5, expected 3; …"; empty
/// if none does.
std::string mismatch_text(const OutputComparison& found);

/// `max_abs`, `max_rel`, and of a mismatch what there is to tell (docs/formats.md).
nlohmann::ordered_json comparison_json(const OutputComparison& found);

}  // namespace braid::cli
