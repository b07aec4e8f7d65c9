#pragma once

namespace braid::cpu {

/// A register of `Lanes` floats.
template <int Lanes>
struct Register {
  using Vector [[gnu::vector_size(Lanes * 4)]] = float;
  using Unaligned [[gnu::vector_size(Lanes * 4), gnu::aligned(4), gnu::may_alias]] = float;
};
template <>
struct Register<1> {
  using Vector = float;
  using Unaligned = float;
};

// By reference: vectors as arguments are passed otherwise from one instruction set to another.
template <int Lanes>
[[gnu::always_inline]] inline void load(typename Register<Lanes>::Vector& vector,
                                        const float* from) {
  vector = *reinterpret_cast<const typename Register<Lanes>::Unaligned*>(from);
}
template <int Lanes>
[[gnu::always_inline]] inline void store(const typename Register<Lanes>::Vector& vector,
                                         float* to) {
  *reinterpret_cast<typename Register<Lanes>::Unaligned*>(to) = vector;
}

/// Compilers move no load across it. Who reads memory as fast as it comes asks for its lines in
/// their order: prefetchers of processors lose track otherwise.
[[gnu::always_inline]] inline void keep_order_of_loads() { asm volatile("" ::: "memory"); }

}  // namespace braid::cpu
