#pragma once

#include <optional>
#include <string_view>

#include "device/cpu/kernels/kernel.h"
#include "device/cpu/kernels/panel_product_call.h"

namespace braid::cpu {

/// The names of the implementations.
inline constexpr std::string_view kPanels = "panels";
inline constexpr std::string_view kStrassen = "strassen";

/// Every element of the output is one sum, in the order of its group's taps and of channels,
/// whichever part it belongs to: so parts of rows and parts of columns give the whole's bits.
Way prepare_panel_product(const OpCall& call, const PanelProductCall& product);

/// The same with an eighth fewer operations and larger rounding errors (strassen_product.h);
/// nothing if it does not suit. Parts are made of whole units of rows and pairs of panels.
std::optional<Way> prepare_strassen_product(const OpCall& call, const PanelProductCall& product);

/// The whole product for a kernel that is made of several, packed now. Its inputs are those of a
/// node: `a`, nothing, the bias, the residual.
Kernel make_panel_product(PanelProductCall product);

/// The same for some rows of a product of one image, at most as many as the call has: the first
/// ones of what it is given. A row gets the bits that it would get among all others.
using PanelRowsKernel = std::function<void(const KernelArgs&, std::int64_t rows)>;
PanelRowsKernel make_panel_rows(PanelProductCall product);

}  // namespace braid::cpu
