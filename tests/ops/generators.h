#pragma once

#include <array>
#include <vector>

#include "ops/testing/case.h"
#include "tests/ops/draw.h"

namespace braid {

/// Makes a valid use of the operator, nearly always: what takes more rules than it is worth to get
/// right may be refused now and then.
using Generate = Case (*)(Draw& draw, const OpDef& def);

/// How near a kernel comes to `evaluate`.
enum class Exactness {
  Always,   ///< it only moves or compares elements
  OnWhole,  ///< sums and products: exact on small whole numbers
  Never,    ///< divides, or calls functions of the library
};

struct Generator {
  std::string_view op;
  Generate generate;
  Exactness exactness = Exactness::Never;
  bool takes_scalars = false;  ///< as the input that decides the type
};

/// A table of each family; together they hold every operator of the catalogue once.
std::vector<Generator> constant_generators();
std::vector<Generator> elementwise_generators();
std::vector<Generator> index_generators();
std::vector<Generator> movement_generators();
std::vector<Generator> norm_generators();
std::vector<Generator> product_generators();
std::vector<Generator> reduction_generators();
std::vector<Generator> sampling_generators();
std::vector<Generator> sequence_generators();
std::vector<Generator> shape_generators();
std::vector<Generator> signal_generators();
std::vector<Generator> window_generators();

inline constexpr auto kGeneratorFamilies = std::to_array<std::vector<Generator> (*)()>({
    constant_generators,
    elementwise_generators,
    index_generators,
    movement_generators,
    norm_generators,
    product_generators,
    reduction_generators,
    sampling_generators,
    sequence_generators,
    shape_generators,
    signal_generators,
    window_generators,
});

/// A call with the attributes whose every value is right: with a chance of a half each, integers
/// become 0 or 1 and numbers something between 1/4 and 2.
Case plain_case(Draw& draw, const OpDef& def);

/// The same with one input, of a rank between these.
Case of_rank(Draw& draw, const OpDef& def, std::int64_t lowest, std::int64_t highest);

/// Gives a Conv, Gemm or MatMul a residual or an activation, sometimes. If the draw has whole
/// numbers, the activation keeps them whole.
void add_epilogue(Draw& draw, Case& c);

/// The draw with that index, with infinities and NaN or without.
Case draw_case(const Generator& generator, int index, bool infinities);

}  // namespace braid
