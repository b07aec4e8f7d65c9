#include "tests/ops/draw.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ops/shared/arithmetic.h"
#include "tensor/element.h"

namespace braid {
namespace {

std::mt19937 seeded(std::string_view op, int index) {
  std::vector<int> words(op.begin(), op.end());
  words.push_back(index);
  std::seed_seq seeds(words.begin(), words.end());
  return std::mt19937(seeds);
}

}  // namespace

Draw::Draw(std::string_view op, int index, bool infinities)
    : random_(seeded(op, index)),
      leaning_(index % 6 == 0   ? Leaning::Empty
               : index % 6 == 1 ? Leaning::LowRank
                                : Leaning::None),
      whole_(chance()),
      extreme_(chance()),
      infinities_(infinities) {}

std::int64_t Draw::integer(std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
}

float Draw::real(float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(random_);
}

bool Draw::chance(double share) { return std::bernoulli_distribution(share)(random_); }

ElementType Draw::element(ElementSet types) {
  if ((types & set_of(ElementType::F32)) != 0 && chance()) return ElementType::F32;
  std::vector<ElementType> all;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(ElementType::Bool); ++i)
    if (const auto type = static_cast<ElementType>(i); (types & set_of(type)) != 0)
      all.push_back(type);
  return all[static_cast<std::size_t>(integer(0, std::ssize(all) - 1))];
}

std::int64_t Draw::extent(std::int64_t high) {
  return leaning_ == Leaning::Empty && chance() ? 0 : full_extent(high);
}

Dims Draw::dims(std::int64_t lowest_rank, std::int64_t highest_rank) {
  Dims dims(static_cast<std::size_t>(
      leaning_ == Leaning::LowRank ? lowest_rank : integer(lowest_rank, highest_rank)));
  for (std::int64_t& d : dims) d = extent();
  // Now and then one axis is long enough for vectors and what they leave over.
  if (!dims.empty() && chance(0.15))
    dims[static_cast<std::size_t>(integer(0, std::ssize(dims) - 1))] = extent(40);
  return dims;
}

Dims Draw::broadcasting_to(const Dims& to) {
  const std::int64_t missing = chance() ? 0 : integer(0, std::ssize(to));
  Dims dims(to.begin() + missing, to.end());
  for (std::int64_t& d : dims)
    if (chance(0.25)) d = 1;
  return dims;
}

std::vector<std::int64_t> Draw::axes(std::int64_t rank) {
  std::vector<std::int64_t> axes(static_cast<std::size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  std::shuffle(axes.begin(), axes.end(), random_);
  axes.resize(static_cast<std::size_t>(integer(0, rank)));
  for (std::int64_t& axis : axes)
    if (chance()) axis -= rank;
  return axes;
}

std::vector<std::int64_t> Draw::integers(std::int64_t count, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> list(static_cast<std::size_t>(count));
  for (std::int64_t& x : list) x = integer(low, high);
  return list;
}

float Draw::special() {
  using Limits = std::numeric_limits<float>;
  return one_of({Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), -0.0F});
}

Tensor Draw::tensor(ElementType element, const Dims& dims) {
  if (whole_ || element == ElementType::Bool)
    return tensor_between(element, dims, is_float_type(element) || extreme_ ? -3 : 0, 3);
  Tensor tensor = Tensor::uninitialised({element, dims});
  dispatch(element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& x : tensor.mutable_data<T>()) {
      if constexpr (is_float<T>)
        x = store<T>(extreme_ && infinities_ && chance(0.1) ? special() : real(-2, 2));
      else if (extreme_)
        x = one_of<T>({std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), T{0}, T{1},
                       static_cast<T>(-1), static_cast<T>(integer(0, 100))});
      else
        x = static_cast<T>(integer(0, 100));
    }
  });
  return tensor;
}

Tensor Draw::tensor_between(ElementType element, const Dims& dims, std::int64_t low,
                            std::int64_t high) {
  Tensor tensor = Tensor::uninitialised({element, dims});
  dispatch(element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& x : tensor.mutable_data<T>()) x = element_from<T>(integer(low, high));
  });
  return tensor;
}

Tensor Draw::indices(const Dims& dims, std::int64_t length) {
  return tensor_between(index_type(), dims, -length, std::max<std::int64_t>(length - 1, -length));
}

Tensor list(const std::vector<std::int64_t>& elements) {
  return Tensor::of<std::int64_t>({std::ssize(elements)}, std::span(elements));
}

}  // namespace braid
