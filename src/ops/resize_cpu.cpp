#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "base/checked.h"
#include "device/cpu/machine/isa.h"
#include "ops/kernels_cpu.h"
#include "ops/resize.h"
#include "ops/resize_rows_cpu.h"
#include "tensor/element.h"

namespace braid::cpu {
namespace {

struct WeightedTap {
  const float* from;
  float weight;
};

/// Adds some taps, whose elements follow one another, to `to` or to zero.
template <class TapAt, std::size_t... I>
[[gnu::always_inline]] inline void add_taps(std::index_sequence<I...>, const TapAt& tap_at,
                                            std::int64_t next, float* __restrict to,
                                            std::int64_t count) {
  const WeightedTap taps[] = {tap_at(next + static_cast<std::int64_t>(I))...};
  const bool first = next == 0;
  for (std::int64_t i = 0; i < count; ++i) {
    float sum = first ? 0 : to[i];
    ((sum += taps[I].weight * taps[I].from[i]), ...);
    to[i] = sum;
  }
}

/// Adds some taps of each column of one element.
template <std::size_t... I>
[[gnu::always_inline]] inline void gather_taps(std::index_sequence<I...>, const AxisTaps& columns,
                                               std::int64_t next, const float* from,
                                               float* __restrict to, CutRange range) {
  const auto row = [&](std::size_t i) {
    return (next + static_cast<std::int64_t>(i)) * columns.outputs;
  };
  const std::int32_t* const positions[] = {columns.positions.data() + row(I)...};
  const float* const weights[] = {columns.weights.data() + row(I)...};
  const bool first = next == 0;
  for (std::int64_t x = range.begin; x < range.end; ++x) {
    float sum = first ? 0 : to[x];
    ((sum += weights[I][x] * from[positions[I][x]]), ...);
    to[x] = sum;
  }
}

/// Calls `add(sequence, first tap)` for all taps in their order, some at a time.
template <class Add>
[[gnu::always_inline]] inline void each_some(std::int64_t taps, const Add& add) {
  std::int64_t next = 0;
  for (; next + 4 <= taps; next += 4) add(std::make_index_sequence<4>(), next);
  for (; next + 2 <= taps; next += 2) add(std::make_index_sequence<2>(), next);
  for (; next < taps; ++next) add(std::make_index_sequence<1>(), next);
}

template <class TapAt>
[[gnu::always_inline]] inline void add_all(std::int64_t taps, const TapAt& tap_at, float* to,
                                           std::int64_t count) {
  each_some(taps, [&](auto some, std::int64_t next)
                      __attribute__((always_inline)) { add_taps(some, tap_at, next, to, count); });
}

/// The columns of a row of the output, which lie `pitch` apart, from one as wide as the input's.
[[gnu::always_inline]] inline void sum_columns(const ResizeRows& rows, const float* from, float* to,
                                               std::int64_t pitch, CutRange range) {
  const AxisTaps& columns = rows.columns();
  const std::int64_t inner = rows.inner();
  if (inner == 1 && pitch == 1) {
    each_some(columns.taps, [&](auto some, std::int64_t next) __attribute__((always_inline)) {
      gather_taps(some, columns, next, from, to, range);
    });
    return;
  }
  for (std::int64_t x = range.begin; x < range.end; ++x) {
    const auto tap_at = [&](std::int64_t k) __attribute__((always_inline)) {
      const auto at = static_cast<std::size_t>(k * columns.outputs + x);
      return WeightedTap{from + columns.positions[at] * inner, columns.weights[at]};
    };
    add_all(columns.taps, tap_at, to + x * pitch, inner);
  }
}

/// Where rows and columns of the output lie.
struct Places {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

Places places_of(const ResizeRows& rows, const KernelArgs& args) {
  const std::int64_t columns = rows.columns().outputs;
  if (rows.inner() == 1) return {args.pitch_of_rows(columns), 1};
  const std::int64_t column = args.pitch_of_rows(rows.inner());
  return {columns * column, column};
}

void interpolate(const ResizeRows& rows, const ResizedRows& own, const KernelArgs& args) {
  const Places places = places_of(rows, args);
  const std::int64_t length = rows.input_columns() * rows.inner();
  const bool sums_rows = !rows.picks_rows();
  std::vector<SourceRow> sources;
  own.each([&](std::int64_t row) {
    rows.find_sources(row, sources);
    on_best_isa([&]() __attribute__((always_inline)) {
      const auto tap_at = [&](std::int64_t k) __attribute__((always_inline)) {
        const SourceRow& source = sources[static_cast<std::size_t>(k)];
        return WeightedTap{args.in<float>(0) + source.row * length, source.weight};
      };
      const float* from = tap_at(0).from;
      if (sums_rows) {
        auto* sums = reinterpret_cast<float*>(args.scratch);
        add_all(std::ssize(sources), tap_at, sums, length);
        from = sums;
      }
      sum_columns(rows, from, args.out<float>(0) + row * places.row, places.column, own.columns);
    });
  });
}

/// Where a row of the input has its place among those that are kept: where it is, or where one lies
/// that is not needed any more.
std::size_t place_among(const std::vector<std::int64_t>& kept, std::int64_t row,
                        const std::vector<SourceRow>& needed) {
  const auto found = std::ranges::find(kept, row);
  if (found != kept.end()) return static_cast<std::size_t>(found - kept.begin());
  const auto free = std::ranges::find_if(kept, [&](std::int64_t other) {
    return std::ranges::none_of(needed, [&](const SourceRow& s) { return s.row == other; });
  });
  return static_cast<std::size_t>(free - kept.begin());
}

void interpolate_columns_first(const ResizeRows& rows, const ResizedRows& own,
                               const KernelArgs& args) {
  const std::int64_t width = rows.columns().outputs;
  auto* const sums = reinterpret_cast<float*>(args.scratch);
  std::vector<SourceRow> sources;
  std::vector<std::int64_t> kept(static_cast<std::size_t>(rows.source_count()), -1);
  std::vector<const float*> from(kept.size());
  own.each([&](std::int64_t row) {
    rows.find_sources(row, sources);
    on_best_isa([&]() __attribute__((always_inline)) {
      for (std::size_t k = 0; k < sources.size(); ++k) {
        const std::int64_t source = sources[k].row;
        const std::size_t place = place_among(kept, source, sources);
        float* const to = sums + static_cast<std::int64_t>(place) * width;
        if (kept[place] != source)
          sum_columns(rows, args.in<float>(0) + source * rows.input_columns(), to, 1, {0, width});
        kept[place] = source;
        from[k] = to;
      }
      const auto tap_at = [&](std::int64_t k) __attribute__((always_inline)) {
        return WeightedTap{from[static_cast<std::size_t>(k)],
                           sources[static_cast<std::size_t>(k)].weight};
      };
      add_all(std::ssize(sources), tap_at, args.out<float>(0) + row * args.pitch_of_rows(width),
              width);
    });
  });
}

/// Rows are summed first, unless columns are.
std::int64_t scratch_of(const ResizeRows& rows) {
  if (rows.picks_rows()) return 0;
  const std::int64_t elements = rows.columns_first()
                                    ? checked_mul(rows.source_count(), rows.columns().outputs)
                                    : checked_mul(rows.input_columns(), rows.inner());
  return checked_mul(elements, sizeof(float));
}

template <class T>
void pick_columns(const ResizeRows& rows, const T* from, T* to, std::int64_t pitch,
                  CutRange range) {
  const std::int32_t* positions = rows.columns().positions.data();
  const std::int64_t inner = rows.inner();
  if (inner == 1) {
    for (std::int64_t x = range.begin; x < range.end; ++x) to[x] = from[positions[x]];
  } else {
    for (std::int64_t x = range.begin; x < range.end; ++x)
      std::memcpy(to + x * pitch, from + positions[x] * inner,
                  static_cast<std::size_t>(inner) * sizeof(T));
  }
}

template <class T>
void pick(const ResizeRows& rows, const ResizedRows& own, const KernelArgs& args) {
  const Places places = places_of(rows, args);
  const std::int64_t length = rows.input_columns() * rows.inner();
  const bool dense = args.pitch == 0;
  std::int64_t last_source = -1;
  const T* last = nullptr;
  std::vector<SourceRow> sources;
  own.each([&](std::int64_t row) {
    rows.find_sources(row, sources);
    T* to = args.out<T>(0) + row * places.row;
    if (dense && sources[0].row == last_source) {
      const std::int64_t begin = own.columns.begin * places.column;
      const std::int64_t end = own.columns.end * places.column;
      std::copy(last + begin, last + end, to + begin);
    } else {
      pick_columns(rows, args.in<T>(0) + sources[0].row * length, to, places.column, own.columns);
    }
    last_source = sources[0].row;
    last = to;
  });
}

}  // namespace

std::optional<Way> prepare_resize(const KernelCall& call) {
  const OpCall& op = call.op;
  for (std::size_t i = 1; i < op.inputs.size(); ++i)
    if (op.has(i) && op.known[i] == nullptr) return std::nullopt;
  const ElementType element = op.input(0).element;
  if ((element != ElementType::F32 && !resizes_by_picking(op)) || op.rank(0) == 0)
    return std::nullopt;
  std::optional<ResizeRows> found = ResizeRows::of(op, call.inputs[0]);
  if (!found) return std::nullopt;
  const auto rows = std::make_shared<const ResizeRows>(std::move(*found));
  const bool picks = rows->picks_rows() && rows->columns().picks();
  Way way;
  way.implementation = "resize";
  way.takes_pitch = rows->takes_pitch();
  way.cuts = rows->cuts();
  way.input_orders = {call.inputs[0]};
  way.output_orders = {call.inputs[0]};
  way.scratch_bytes = scratch_of(*rows);
  way.make = [rows, picks, element](const Part& part) -> Kernel {
    const ResizedRows own = rows->part(part);
    const auto sum = rows->columns_first() ? interpolate_columns_first : interpolate;
    if (!picks) return [=](const KernelArgs& args) { sum(*rows, own, args); };
    return [rows, own, element](const KernelArgs& args) {
      dispatch_size(element,
                    [&](auto tag) { pick<typename decltype(tag)::type>(*rows, own, args); });
    };
  };
  return way;
}

}  // namespace braid::cpu
