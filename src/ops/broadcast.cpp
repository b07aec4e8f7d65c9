#include "ops/broadcast.h"

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

ElementType common_element(const OpCall& call, std::size_t first) {
  const ElementType element = call.input(first).element;
  for (std::size_t i = first + 1; i < call.inputs.size(); ++i)
    if (call.has(i) && call.input(i).element != element)
      raise(ErrorKind::Model, fmt::format("inputs of {} have types {} and {}, expected one type",
                                          call.op, name(element), name(call.input(i).element)));
  return element;
}

}  // namespace braid
