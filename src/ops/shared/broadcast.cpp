#include "ops/shared/broadcast.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace braid {

Dims broadcast(std::string_view op, const Dims& a, const Dims& b) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims met = longer;
  const std::size_t skip = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& dim = met[skip + i];
    if (dim == 1)
      dim = shorter[i];
    else if (shorter[i] != 1 && shorter[i] != dim)
      raise(ErrorKind::Model,
            fmt::format("shapes {} and {} of {} do not broadcast", to_string(a), to_string(b), op));
  }
  return met;
}

Dims broadcast(const OpCall& call, std::size_t first) {
  Dims met;
  for (std::size_t i = first; i < call.inputs.size(); ++i)
    if (call.has(i)) met = broadcast(call.op, met, call.dims(i));
  return met;
}

Dims broadcast_strides(const Dims& from, const Dims& to) {
  Dims strides(to.size(), 0);
  const Dims dense = dense_strides(from);
  const std::size_t skip = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1) strides[skip + i] = dense[i];
  return strides;
}

void each_pair_of_rows(const Dims& a, const Dims& b, const Dims& to, RowBody body) {
  each_row(to, {broadcast_strides(a, to), broadcast_strides(b, to)}, body);
}

void check_broadcasts_to(const OpCall& call, std::size_t i, std::string_view what, const Dims& to) {
  const Dims& from = call.dims(i);
  bool fits = from.size() <= to.size();
  for (std::size_t k = 0; fits && k < from.size(); ++k)
    fits = from[k] == 1 || from[k] == to[to.size() - from.size() + k];
  if (!fits)
    raise(ErrorKind::Model, fmt::format("{} of {} has shape {}, which does not broadcast to {}",
                                        what, call.op, to_string(from), to_string(to)));
}

Tensor spread(const Tensor& tensor, const Dims& to) {
  if (tensor.dims() == to) return tensor;
  Tensor out = Tensor::uninitialised({tensor.element(), to});
  copy_strided(tensor.bytes(), 0, to, broadcast_strides(tensor.dims(), to), out.mutable_bytes(),
               byte_size(tensor.element()));
  return out;
}

ElementType common_element(const OpCall& call, std::size_t first) {
  const ElementType element = call.input(first).element;
  for (std::size_t i = first + 1; i < call.inputs.size(); ++i)
    if (call.has(i) && call.input(i).element != element)
      raise(ErrorKind::Model, fmt::format("inputs of {} have types {} and {}, expected one type",
                                          call.op, name(element), name(call.input(i).element)));
  return element;
}

}  // namespace braid
