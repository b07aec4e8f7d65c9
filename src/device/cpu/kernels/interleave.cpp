#include "device/cpu/kernels/interleave.h"

#include <utility>

#include "device/cpu/kernels/registers.h"
#include "device/cpu/machine/isa.h"

namespace braid::cpu {
namespace {

/// Which lane of (woven, plane) the vector number `Part` of the result takes for its lane `Lane`
/// when the elements of a channel come to those of the channels before it.
template <int Lanes, int Channels, int Part>
constexpr int woven_lane(int channel, int lane) {
  const int place = Part * Lanes + lane;
  if (place % Channels == channel) return Lanes + place / Channels;
  // The first channel is not woven yet.
  return channel == 1 && place % Channels == 0 ? place / Channels : lane;
}

template <int Lanes, int Channels, int Part, int Channel, int... Lane>
[[gnu::always_inline]] inline void weave_channel(typename Register<Lanes>::Vector& woven,
                                                 const typename Register<Lanes>::Vector& plane,
                                                 std::integer_sequence<int, Lane...>) {
  woven =
      __builtin_shufflevector(woven, plane, (woven_lane<Lanes, Channels, Part>(Channel, Lane))...);
}

template <int Lanes, int Channels, int Part, int... More>
[[gnu::always_inline]] inline void weave_part(
    const typename Register<Lanes>::Vector (&planes)[Channels], float* to,
    std::integer_sequence<int, More...>) {
  auto woven = planes[0];
  (weave_channel<Lanes, Channels, Part, More + 1>(woven, planes[More + 1],
                                                  std::make_integer_sequence<int, Lanes>{}),
   ...);
  store<Lanes>(woven, to + Part * Lanes);
}

/// A vector of elements of each channel.
template <int Lanes, int Channels, int... Part>
[[gnu::always_inline]] inline void weave(const Planes& from, std::int64_t first, float* to,
                                         std::integer_sequence<int, Part...>) {
  typename Register<Lanes>::Vector planes[Channels];
#pragma GCC unroll 4
  for (int c = 0; c < Channels; ++c) load<Lanes>(planes[c], from.first + c * from.step + first);
  (weave_part<Lanes, Channels, Part>(planes, to + first * Channels,
                                     std::make_integer_sequence<int, Channels - 1>{}),
   ...);
}

[[gnu::always_inline]] inline void interleave_rest(const Planes& from, std::int64_t first,
                                                   float* to) {
  for (std::int64_t c = 0; c < from.channels; ++c)
    for (std::int64_t i = first; i < from.count; ++i)
      to[i * from.channels + c] = from.first[c * from.step + i];
}

template <Isa Set, int Channels>
void interleave_vectors(const Planes& from, float* to) {
  const auto body = [&]() __attribute__((always_inline)) {
    constexpr int lanes = Set == Isa::Avx512 ? 16 : Set == Isa::Avx2 ? 8 : 4;
    std::int64_t i = 0;
    for (; i + lanes <= from.count; i += lanes)
      weave<lanes, Channels>(from, i, to, std::make_integer_sequence<int, Channels>{});
    interleave_rest(from, i, to);
  };
  run_on<Set>(body);
}

}  // namespace

void interleave(const Planes& planes, float* to) {
  made_for(isa(), [&]<Isa Set>() {
    switch (planes.channels) {
      case 2:
        return interleave_vectors<Set, 2>(planes, to);
      case 3:
        return interleave_vectors<Set, 3>(planes, to);
      case 4:
        return interleave_vectors<Set, 4>(planes, to);
      default:
        return interleave_rest(planes, 0, to);
    }
  });
}

}  // namespace braid::cpu
