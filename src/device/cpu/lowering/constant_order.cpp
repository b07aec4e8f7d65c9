#include "device/cpu/lowering/constant_order.h"

#include "ops/shared/strided.h"

namespace braid::cpu {

Tensor in_order(const Tensor& constant, const AxisOrder& order) {
  Tensor result = Tensor::uninitialised(constant.type());
  const Dims& dims = constant.dims();
  copy_strided(constant.bytes(), 0, permuted(dims, order), permuted(strides_in(dims, {}), order),
               result.mutable_bytes(), byte_size(constant.type()) / element_count(constant.type()));
  return result;
}

}  // namespace braid::cpu
