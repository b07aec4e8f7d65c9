#pragma once

#include <braid/tensor.h>

namespace braid {

/// The elements as another type, as Cast converts them; the tensor itself if it has that type.
Tensor cast(const Tensor& in, ElementType type);

}  // namespace braid
