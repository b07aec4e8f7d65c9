#pragma once

#include "rewrite/steps.h"

namespace braid {

/// Rules that prepare a graph for kernels of any device; a device takes those that suit it.

/// Writes every Split as a Slice for each of its outputs: these have kernels, can be cut, and run
/// side by side.
Rule slice_splits();

/// Writes a Gather of one constant index, as exporters take queries, keys and values apart, as a
/// Slice and a Reshape: these have a kernel for values in any order, can be cut, and keep views.
Rule slice_gathers();

/// Writes a ConvTranspose with constant weights as a Conv that makes, in channels of their own, the
/// outputs of which each stride consists, and as what lays these side by side.
Rule transposed_convs();

/// Lets a Conv before a DepthToSpace make its channels in the order in which this copies whole
/// pixels, if values lie with their channels last.
Rule sort_shuffles();

/// For devices whose values are all row-major: makes every Split a view whose pieces are dense (the
/// outer dimensions are 1) and live in the arena with their whole.
RewriteStep split_as_view();

/// For the same devices: makes a Concat of dense pieces a view, so that what makes its inputs
/// writes them into its output. A value that cannot lie there, since it does not live in the arena
/// or has a place already, is copied; values side by side are copied by one node. A Concat stays as
/// it is if nothing could be written in place, or if several copies would be needed for half of its
/// bytes or more. Comes after all steps that make or join nodes.
RewriteStep concat_as_view();

/// Joins elementwise operators of one shape into Chains (ops/chain.h), each of which reads its
/// inputs and writes its output once. What is joined is a tree or small graph that ends in one
/// node; values inside it are read by no other node. A Chain has a bounded number of inputs and
/// steps. A large operator that could run long before the others can is left alone.
Rule fuse_chains();

}  // namespace braid
