#include "device/cpu/kernels/image_block.h"

#include <array>
#include <utility>

#include "device/cpu/kernels/registers.h"

namespace braid::cpu {
namespace {

/// Elements of a piece that are added up together: an image mostly has three channels.
constexpr int kElementsTogether = 3;

template <int Lanes, int Pixels, int Vectors>
class ImageSums {
 public:
  using Vector = typename Register<Lanes>::Vector;

  [[gnu::always_inline]] explicit ImageSums(const ImageBlocks& blocks) : blocks_(blocks) {}

  /// Runs a block and returns what is to be fetched next.
  [[gnu::always_inline]] const std::byte* run(const float* pieces, float* to, const float* residual,
                                              const std::byte* next) {
    begin(to);
    const float* panel = blocks_.panel;
    for (std::int64_t tap = 0; tap < blocks_.tap_count; ++tap) {
      const float* at[Pixels];
#pragma GCC unroll 10
      for (int p = 0; p < Pixels; ++p) at[p] = pieces + blocks_.taps[tap] + p * blocks_.next_pixel;
      const auto step = [&](std::int64_t i) __attribute__((always_inline)) {
        Vector columns[Vectors];
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) load<Lanes>(columns[v], panel + v * Lanes);
        panel += Vectors * Lanes;
#pragma GCC unroll 10
        for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
          for (int v = 0; v < Vectors; ++v) total_[p][v] += columns[v] * at[p][i];
      };
      std::int64_t i = 0;
#pragma GCC unroll 1
      for (; i + kElementsTogether <= blocks_.piece; i += kElementsTogether) {
        __builtin_prefetch(next, 0, 2);
        next += kLineBytes;
#pragma GCC unroll 3
        for (int k = 0; k < kElementsTogether; ++k) step(i + k);
      }
#pragma GCC unroll 1
      for (; i < blocks_.piece; ++i) step(i);
    }
    end(to, residual);
    return next;
  }

 private:
  [[gnu::always_inline]] static std::int64_t column(int vector, std::int64_t last_vector) {
    return vector + 1 == Vectors ? last_vector : vector * Lanes;
  }

  [[gnu::always_inline]] void begin(const float* to) {
    constexpr int floats_of_line = kLineBytes / 4;
    const std::int64_t last = blocks_.last_vector;
#pragma GCC unroll 10
    for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        const float* const at = to + p * blocks_.pitch + column(v, last);
        if (v * Lanes % floats_of_line == 0) __builtin_prefetch(at);
        total_[p][v] = Vector{};
        if (!blocks_.first)
          load<Lanes>(total_[p][v], at);
        else if (blocks_.bias != nullptr)
          load<Lanes>(total_[p][v], blocks_.bias + column(v, last));
      }
  }

  // A store of a vector might change the blocks, as far as the compiler knows.
  [[gnu::always_inline]] void end(float* to, const float* residual) {
    const std::int64_t pitch = blocks_.pitch;
    const std::int64_t last = blocks_.last_vector;
    if (residual != nullptr)
#pragma GCC unroll 10
      for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
          Vector more;
          load<Lanes>(more, residual + p * blocks_.residual_pitch + column(v, last));
          total_[p][v] += more;
        }
    activate_registers<Lanes>(total_, blocks_.activation);
#pragma GCC unroll 10
    for (int p = 0; p < Pixels; ++p)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        store<Lanes>(total_[p][v], to + p * pitch + column(v, last));
  }

  const ImageBlocks& blocks_;
  Vector total_[Pixels][Vectors];
};

template <int Lanes, int Pixels, int Vectors>
[[gnu::always_inline]] inline void add_up_image(const ImageBlocks& blocks) {
  ImageSums<Lanes, Pixels, Vectors> sums(blocks);
  const std::byte* next = blocks.next;
  for (std::int64_t i = 0; i < blocks.count; ++i) {
    const std::int64_t pixel = i * Pixels;
    next = sums.run(
        blocks.pieces + pixel * blocks.next_pixel, blocks.to + pixel * blocks.pitch,
        blocks.residual != nullptr ? blocks.residual + pixel * blocks.residual_pitch : nullptr,
        next);
  }
}

template <Isa Set>
constexpr const PanelShape& kShapeOf = Set == Isa::Avx512 ? kAvx512Shape
                                       : Set == Isa::Avx2 ? kAvx2Shape
                                                          : kBaselineShape;

template <Isa Set, int Pixels, int Vectors>
void run_image_blocks(const ImageBlocks& blocks) {
  const auto body = [&]() __attribute__((always_inline)) {
    add_up_image<static_cast<int>(kShapeOf<Set>.lanes), Pixels, Vectors>(blocks);
  };
  run_on<Set>(body);
}

template <Isa Set, int Pixels, int Vectors>
constexpr RunImageBlocks image_blocks_or_null() {
  if constexpr (Pixels <= kShapeOf<Set>.rows_of(Vectors))
    return run_image_blocks<Set, Pixels, Vectors>;
  else
    return nullptr;
}

template <Isa Set, int... I>
constexpr auto image_blocks_of(std::integer_sequence<int, I...>) {
  return std::array{
      image_blocks_or_null<Set, I / kMostPanelVectors + 1, I % kMostPanelVectors + 1>()...};
}

}  // namespace

RunImageBlocks image_blocks(Isa isa, std::int64_t pixels, std::int64_t vectors) {
  const auto size = static_cast<std::size_t>((pixels - 1) * kMostPanelVectors + vectors - 1);
  return made_for(isa, [&]<Isa Set>() {
    static constexpr auto all =
        image_blocks_of<Set>(std::make_integer_sequence<int, kMostBlockRows * kMostPanelVectors>{});
    return all[size];
  });
}

std::int64_t bytes_fetched(const ImageBlocks& blocks) {
  return blocks.count * blocks.tap_count * (blocks.piece / kElementsTogether) * kLineBytes;
}

}  // namespace braid::cpu
