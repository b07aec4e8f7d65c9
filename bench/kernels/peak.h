#pragma once

namespace braid::kernels_bench {

/// Multiply-adds in registers, with the instruction set that kernels use here: the GFLOP/s of one
/// try of some microseconds. A kernel may seem to exceed it where padding counts as work.
double multiply_add_gflops();

}  // namespace braid::kernels_bench
