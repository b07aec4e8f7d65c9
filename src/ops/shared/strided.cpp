#include "ops/shared/strided.h"

#include <algorithm>
#include <cstring>

namespace braid {
namespace {

template <class T>
void copy_rows(const std::byte* from, const Dims& dims, const Dims& strides, std::byte* to) {
  each_row(dims, {strides},
           [&](const std::int64_t* offsets, const std::int64_t* steps, std::int64_t count) {
             const auto* in = reinterpret_cast<const T*>(from) + offsets[0];
             auto* out = reinterpret_cast<T*>(to);
             if (steps[0] == 1)
               std::copy_n(in, count, out);
             else if (steps[0] == 0)
               std::fill_n(out, count, *in);
             else
               for (std::int64_t i = 0; i < count; ++i) out[i] = in[i * steps[0]];
             to += count * static_cast<std::int64_t>(sizeof(T));
           });
}

}  // namespace

Dims dense_strides(const Dims& dims) {
  Dims strides(dims.size());
  std::int64_t step = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<std::int64_t>(dims[i], 1);
  }
  return strides;
}

void join_axes(Dims& dims, std::span<Dims> strides) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    const bool joins = kept > 0 && std::all_of(strides.begin(), strides.end(), [&](const Dims& s) {
                         return s[kept - 1] == s[i] * dims[i];
                       });
    if (joins) --kept;
    dims[kept] = joins ? dims[kept] * dims[i] : dims[i];
    for (Dims& s : strides) s[kept] = s[i];
    ++kept;
  }
  dims.resize(kept);
  for (Dims& s : strides) s.resize(kept);
}

void each_row(Dims dims, std::vector<Dims> strides, RowBody body) {
  if (element_count(dims) == 0) return;
  join_axes(dims, strides);
  std::vector<std::int64_t> offsets(strides.size(), 0);
  std::vector<std::int64_t> steps(strides.size(), 0);
  std::int64_t count = 1;
  if (!dims.empty()) {
    count = dims.back();
    dims.pop_back();
    for (std::size_t k = 0; k < strides.size(); ++k) steps[k] = strides[k].back();
  }
  Dims at(dims.size(), 0);
  while (true) {
    body(offsets.data(), steps.data(), count);
    std::size_t axis = dims.size();
    while (axis > 0 && at[axis - 1] + 1 == dims[axis - 1]) {
      --axis;
      for (std::size_t k = 0; k < strides.size(); ++k) offsets[k] -= at[axis] * strides[k][axis];
      at[axis] = 0;
    }
    if (axis == 0) return;
    ++at[axis - 1];
    for (std::size_t k = 0; k < strides.size(); ++k) offsets[k] += strides[k][axis - 1];
  }
}

void copy_strided(std::span<const std::byte> from, std::int64_t first, const Dims& dims,
                  const Dims& strides, std::span<std::byte> to, std::int64_t bytes) {
  const std::byte* start = from.data() + first * bytes;
  switch (bytes) {
    case 1:
      return copy_rows<std::uint8_t>(start, dims, strides, to.data());
    case 2:
      return copy_rows<std::uint16_t>(start, dims, strides, to.data());
    case 4:
      return copy_rows<std::uint32_t>(start, dims, strides, to.data());
    default:
      return copy_rows<std::uint64_t>(start, dims, strides, to.data());
  }
}

}  // namespace braid
