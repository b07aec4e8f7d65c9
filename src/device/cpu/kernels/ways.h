#pragma once

#include <string_view>

#include "device/cpu/kernels/kernel.h"

namespace braid::cpu {

/// A node of a lowered graph as its kernel sees it.
KernelCall kernel_call_of(const Graph& lowered, const Node& node);

/// The first way to run the call among those of its operator. The last resort, for every operator
/// in the catalogue, is its own `evaluate`.
Way prepare(const KernelCall& call);
/// All ways to run the call, but for the last resort if there is another.
std::vector<Way> every_way(const KernelCall& call);
/// Whether there may be ways beside the first: a product or convolution with constant weights.
bool may_have_other_ways(const KernelCall& call, const Way& first);
/// The first way, and those beside it that take and give all values in the same orders; only
/// `exact` ones if that is asked for.
std::vector<Way> alternatives(const KernelCall& call, bool exact);
/// Whether an operator has a kernel for float32, or for what it is defined on.
bool has_kernel(std::string_view op);
/// Device::kernel_types()
ElementSet kernel_types(std::string_view op);
/// Device::is_exact()
bool is_exact(std::string_view implementation);
/// The way of that name which takes and gives the values in exactly these orders; nothing if there
/// is none here.
std::optional<Way> prepare_as(const KernelCall& call, std::string_view implementation);

/// The name of the Identity that brings a value into another order.
inline constexpr std::string_view kReorder = "reorder";

}  // namespace braid::cpu
