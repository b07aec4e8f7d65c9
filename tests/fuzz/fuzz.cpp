#include "tests/fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>
#include <random>

#include "tensor/element.h"

namespace braid::fuzz {

std::size_t attempts_completed = 0;

void fail(std::string_view what) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

bool is_answer(ErrorKind kind) {
  return kind == ErrorKind::Model || kind == ErrorKind::Unsupported || kind == ErrorKind::Quota ||
         kind == ErrorKind::Usage;
}

Quotas small_quotas() {
  Quotas quotas;
  quotas.metadata_bytes = std::int64_t{16} << 20;
  quotas.nodes = 200;
  quotas.tensors = 200;
  quotas.nesting = 8;
  quotas.rank = 10;
  quotas.elements = 1 << 14;
  quotas.name_bytes = 1024;
  quotas.memory_bytes = std::int64_t{4} << 20;
  quotas.planning_seconds = 5;
  return quotas;
}

std::vector<Tensor> inputs_for(const Graph& graph) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> real(-2, 2);
  std::uniform_int_distribution<int> integer(0, 3);
  std::vector<Tensor> inputs;
  for (ValueId id : graph.inputs()) {
    Tensor tensor = Tensor::uninitialised(graph.value(id).type);
    dispatch(tensor.element(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (T& x : tensor.mutable_data<T>())
        x = is_float_type(tensor.element()) ? store<T>(real(random)) : store<T>(integer(random));
    });
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace braid::fuzz
