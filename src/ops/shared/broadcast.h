#pragma once

#include <span>
#include <string_view>

#include "ops/op.h"
#include "ops/shared/strided.h"

namespace braid {

/// The shape in which two shapes meet by NumPy's rules. Throws Model, naming the operator and both
/// shapes, if they do not.
Dims broadcast(std::string_view op, const Dims& a, const Dims& b);
/// The shape in which the inputs `first`, `first` + 1, … (as many as are present) meet.
Dims broadcast(const OpCall& call, std::size_t first = 0);

/// Strides with which a dense tensor of shape `from` is read at the indices of `to`: 0 along the
/// axes that are repeated. `from` broadcasts to `to`.
Dims broadcast_strides(const Dims& from, const Dims& to);

/// Walks `to` in row-major order over two dense tensors that broadcast to it.
void each_pair_of_rows(const Dims& a, const Dims& b, const Dims& to, RowBody body);

/// Throws Model, calling input `i` by the name `what`, unless it broadcasts to exactly `to`.
void check_broadcasts_to(const OpCall& call, std::size_t i, std::string_view what, const Dims& to);

/// A dense tensor of shape `to` with the elements repeated; the tensor itself if it has that shape.
/// The tensor broadcasts to `to`.
Tensor spread(const Tensor& tensor, const Dims& to);

/// Throws Model unless the inputs `first`, `first` + 1, … that are present have one element type;
/// returns it.
ElementType common_element(const OpCall& call, std::size_t first = 0);

}  // namespace braid
