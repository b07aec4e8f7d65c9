#include "tensor/random_tensor.h"

#include <cmath>
#include <type_traits>

#include "tensor/element.h"

namespace braid {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  /// From 0 to below 1.
  double uniform() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

Tensor random_tensor(const TensorType& type, NumberRange range, std::uint64_t seed) {
  Generator generator(seed);
  Tensor tensor = Tensor::uninitialised(type);
  const bool real = is_float_type(type.element);
  dispatch(type.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& x : tensor.mutable_data<T>()) {
      const double u = generator.uniform();
      const double whole = std::floor(range.low + u * (range.high - range.low + 1));
      if constexpr (std::is_same_v<T, bool>)
        x = whole != 0;
      else
        x = store<T>(real ? range.low + u * (range.high - range.low) : whole);
    }
  });
  return tensor;
}

}  // namespace braid
