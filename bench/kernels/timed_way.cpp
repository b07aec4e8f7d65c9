#include "timed_way.h"

#include <chrono>
#include <cstring>

#include "device/cpu/machine/touch.h"

namespace braid::kernels_bench {

TimedWay::TimedWay(const OneNode& one, const cpu::Way& way)
    : kernel_(way.make({})),
      made_(random_inputs(one.graph)),
      scratch_(Tensor::uninitialised({ElementType::U8, {way.scratch_bytes}})) {
  const Node& node = one.graph.node(one.node);
  for (const Tensor& input : made_) given_.push_back(Tensor::uninitialised(input.type()));
  std::size_t next = 0;
  for (const ValueId id : node.inputs) {
    if (!id.valid()) {
      inputs_.push_back(nullptr);
    } else if (one.graph.is_constant(id)) {
      // In whichever order the kernel wants it: its time is the same.
      constants_.push_back(one.graph.value(id).constant.aligned());
      inputs_.push_back(constants_.back().bytes().data());
    } else {
      inputs_.push_back(given_[next++].bytes().data());
    }
  }
  for (const ValueId id : node.outputs) {
    if (id.valid()) written_.push_back(Tensor::uninitialised(one.graph.value(id).type));
    outputs_.push_back(id.valid() ? written_.back().mutable_bytes().data() : nullptr);
  }
}

double TimedWay::run_us() {
  for (std::size_t i = 0; i < made_.size(); ++i)
    std::memcpy(given_[i].mutable_bytes().data(), made_[i].bytes().data(), made_[i].bytes().size());
  for (const Tensor& output : written_) cpu::touch(output.bytes());
  cpu::touch(scratch_.bytes());
  const auto start = std::chrono::steady_clock::now();
  kernel_({inputs_, outputs_, scratch_.mutable_bytes().data()});
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

std::int64_t bytes_of(const OneNode& one) {
  const Node& node = one.graph.node(one.node);
  std::int64_t bytes = 0;
  for (const auto* ids : {&node.inputs, &node.outputs})
    for (const ValueId id : *ids)
      if (id.valid()) bytes += 2 * byte_size(one.graph.value(id).type);
  return bytes;
}

}  // namespace braid::kernels_bench
