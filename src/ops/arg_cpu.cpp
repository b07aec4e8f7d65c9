#include <algorithm>
#include <limits>

#include "device/cpu/kernels/part.h"
#include "device/cpu/kernels/reduced_view.h"
#include "device/cpu/machine/isa.h"
#include "ops/kernels_cpu.h"

namespace braid::cpu {
namespace {

/// Which of equal elements is taken. NaN is the extreme element.
enum class Choice : std::uint8_t { First, Last };

/// Whether an element is taken in place of the best of those before it.
template <bool Largest, Choice Equal>
[[gnu::always_inline]] inline bool is_taken(float x, float best) {
  if constexpr (Equal == Choice::First)
    return !(Largest ? x <= best : x >= best) & (best == best);
  else
    return (Largest ? x >= best : x <= best) | (x != x);
}

/// Lines that are searched side by side while their numbers pass by.
constexpr std::int64_t kSearchedLines = 128;

/// `count` lines that begin `next_line` apart, each of `length` numbers, `next_number` apart.
template <bool Largest, Choice Equal>
[[gnu::always_inline]] inline void search_lines(const float* from, std::int64_t count,
                                                std::int64_t next_line, std::int64_t length,
                                                std::int64_t next_number, std::int64_t* to) {
  float best[kSearchedLines];
  std::int32_t index[kSearchedLines];
  for (std::int64_t i = 0; i < count; ++i) best[i] = from[i * next_line];
  std::fill_n(index, count, 0);
  for (std::int32_t number = 1; number < length; ++number) {
    from += next_number;
    for (std::int64_t i = 0; i < count; ++i) {
      const float x = from[i * next_line];
      const bool taken = is_taken<Largest, Equal>(x, best[i]);
      best[i] = taken ? x : best[i];
      index[i] = taken ? number : index[i];
    }
  }
  for (std::int64_t i = 0; i < count; ++i) to[i] = index[i];
}

/// The best of some numbers of a line.
struct Found {
  float best;
  std::int32_t index;
};

template <bool Largest, Choice Equal>
[[gnu::always_inline]] inline Found merged(Found a, Found b) {
  const bool is_better = is_taken<Largest, Choice::First>(b.best, a.best);
  const bool is_equal = (a.best == b.best) | ((a.best != a.best) & (b.best != b.best));
  const bool comes_first = Equal == Choice::First ? b.index < a.index : b.index > a.index;
  return is_better | (is_equal & comes_first) ? b : a;
}

/// A line whose numbers follow one another; some of them are searched side by side.
template <bool Largest, Choice Equal>
[[gnu::always_inline]] inline std::int32_t searched_line(const float* from, std::int32_t length) {
  constexpr std::int32_t lanes = 16;
  float best[lanes];
  std::int32_t index[lanes];
  for (std::int32_t j = 0; j < lanes; ++j) {
    index[j] = std::min(j, length - 1);
    best[j] = from[index[j]];
  }
  const auto search_at = [&](std::int32_t i, std::int32_t count) __attribute__((always_inline)) {
    for (std::int32_t j = 0; j < count; ++j) {
      const bool taken = is_taken<Largest, Equal>(from[i + j], best[j]);
      best[j] = taken ? from[i + j] : best[j];
      index[j] = taken ? i + j : index[j];
    }
  };
  std::int32_t i = lanes;
  for (; i <= length - lanes; i += lanes) search_at(i, lanes);
  search_at(i, length - i);
  Found found = {best[0], index[0]};
  for (std::int32_t j = 1; j < lanes; ++j)
    found = merged<Largest, Equal>(found, {best[j], index[j]});
  return found.index;
}

/// The elements `range` of the output.
template <bool Largest, Choice Equal>
void search(const AxisView& view, CutRange range, const float* from, std::int64_t* to) {
  constexpr std::int64_t long_line = 128;
  const std::int64_t length = view.length;
  on_best_isa([&]() __attribute__((always_inline)) {
    for (std::int64_t i = range.begin; i < range.end;) {
      const std::int64_t column = i % view.inner;
      const float* line = from + (i - column) * length + column;
      if (view.inner == 1 && length >= long_line) {
        to[i++] = searched_line<Largest, Equal>(line, static_cast<std::int32_t>(length));
      } else if (view.inner == 1) {
        const std::int64_t count = std::min(kSearchedLines, range.end - i);
        search_lines<Largest, Equal>(line, count, length, length, 1, to + i);
        i += count;
      } else {
        const std::int64_t count = std::min({kSearchedLines, view.inner - column, range.end - i});
        search_lines<Largest, Equal>(line, count, 1, length, view.inner, to + i);
        i += count;
      }
    }
  });
}

using SearchFunction = void (*)(const AxisView&, CutRange, const float*, std::int64_t*);

SearchFunction search_of(const OpCall& call) {
  const bool last = call.attributes->integer("select_last_index", 0) != 0;
  if (call.op == "ArgMax") return last ? search<true, Choice::Last> : search<true, Choice::First>;
  return last ? search<false, Choice::Last> : search<false, Choice::First>;
}

}  // namespace

std::optional<Way> prepare_arg(const KernelCall& call) {
  if (call.op.input(0).element != ElementType::F32) return std::nullopt;
  const Dims& dims = call.op.dims(0);
  const std::vector<std::int64_t> axes = {
      normal_axis(call.op.op, call.op.attributes->integer("axis", 0), call.op.rank(0))};
  const AxisOrder order = call.inputs[0];
  const AxisView view = *reduced_view(dims, order, axes);
  if (view.length > std::numeric_limits<std::int32_t>::max() / 2) return std::nullopt;
  const TensorType output = call.op.outputs[0];
  Way way;
  way.implementation = "arg";
  way.input_orders = {order};
  way.output_orders = {reduced_order(order, dims, output.dims, axes)};
  way.cuts = cuts_in(output, way.output_orders[0]);
  way.make = [view, output, search = search_of(call.op)](const Part& part) -> Kernel {
    return [=, range = outermost_range(output, part)](const KernelArgs& args) {
      search(view, range, args.in<float>(0), args.out<std::int64_t>(0));
    };
  };
  return way;
}

}  // namespace braid::cpu
