#include "device/cpu/onednn.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/error.h"

namespace braid::cpu {
namespace {

constexpr auto kFloat = dnnl::memory::data_type::f32;

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine instance(dnnl::engine::kind::cpu, 0);
  return instance;
}

double flops_per_cycle() {
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::isa_default:
    case dnnl::cpu_isa::sse41:
      return 8;
    case dnnl::cpu_isa::avx:
      return 16;
    case dnnl::cpu_isa::avx2:
    case dnnl::cpu_isa::avx2_vnni:
    case dnnl::cpu_isa::avx2_vnni_2:
      return 32;
    default:
      return 64;
  }
}

dnnl::memory::desc with_order(const Dims& dims, const std::vector<std::size_t>& order) {
  Dims strides(dims.size());
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= std::max<std::int64_t>(dims[order[i]], 1);
  }
  return {dims, kFloat, strides};
}

dnnl::memory::desc row_major(const Dims& dims) {
  std::vector<std::size_t> order(dims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return with_order(dims, order);
}

dnnl::memory::desc channels_last(const Dims& dims) {
  std::vector<std::size_t> order = {0};
  for (std::size_t i = 2; i < dims.size(); ++i) order.push_back(i);
  order.push_back(1);
  return with_order(dims, order);
}

dnnl::memory::desc any_layout(const Dims& dims) {
  return {dims, kFloat, dnnl::memory::format_tag::any};
}

dnnl::primitive_attr attributes_with(const dnnl::post_ops& post_ops) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attr.set_post_ops(post_ops);
  return attr;
}

void rethrow_unless_refused(const dnnl::error& error) {
  if (error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments) return;
  const ErrorKind kind = error.status == dnnl_out_of_memory ? ErrorKind::Quota : ErrorKind::Device;
  raise(kind, fmt::format("oneDNN: {} (status {})", error.what(), static_cast<int>(error.status)));
}

}  // namespace braid::cpu
