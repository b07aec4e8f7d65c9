#pragma once

#include <string_view>
#include <vector>

#include <braid/tensor.h>

#include "graph/attributes.h"

/// Constants by recipe: tensors that are made of others when somebody first reads them. A search
/// gives types to thousands of graphs and makes the weights of the few that it keeps.

namespace braid {

/// What the operator makes of these tensors, at most one of which decides its shape. The type is
/// known at once; throws as inference does.
Tensor promised_result(std::string_view op, std::vector<Tensor> inputs, Attributes attributes = {});

/// Tensors one behind the other along an axis; they are alike but for its length.
Tensor joined(std::vector<Tensor> parts, std::int64_t axis);
/// The elements [begin, end) along an axis.
Tensor sliced(const Tensor& tensor, std::int64_t axis, std::int64_t begin, std::int64_t end);
/// The tensor with so many zeros before and behind it along every axis.
Tensor padded(const Tensor& tensor, const Dims& before, const Dims& behind);
/// The same elements in row-major order under other dimensions.
Tensor reshaped(const Tensor& tensor, const Dims& dims);
Tensor transposed(const Tensor& tensor, std::vector<std::int64_t> permutation);
/// All elements times a number, which is rounded to the element type.
Tensor scaled(const Tensor& tensor, double factor);
Tensor sum(const Tensor& a, const Tensor& b);
Tensor product(const Tensor& a, const Tensor& b);

/// The weights [Co, C/g, kernel...] of a convolution of `groups` groups as those of one with
/// `factor` times fewer: every group of channels reads its neighbours' too, by zeros.
Tensor merged_groups(const Tensor& weights, std::int64_t groups, std::int64_t factor);

/// The inverse of merged_groups: the weights of a convolution of `groups` groups as those of one
/// with `factor` times as many, without what its groups read of their neighbours.
Tensor parted_groups(const Tensor& weights, std::int64_t groups, std::int64_t factor);

}  // namespace braid
