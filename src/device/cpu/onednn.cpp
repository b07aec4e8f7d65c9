#include "device/cpu/onednn.h"

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

dnnl::memory::desc with_order(const Dims& dims, const AxisOrder& order) {
  return strided(dims, strides_in(dims, order));
}

dnnl::memory::desc row_major(const Dims& dims) { return with_order(dims, {}); }

dnnl::memory::desc strided(const Dims& dims, const Dims& strides) {
  return {dims, kFloat, strides};
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
  if (error.status != dnnl_unimplemented && error.status != dnnl_invalid_arguments)
    raise_onednn(error);
}

void raise_onednn(const dnnl::error& error) {
  const ErrorKind kind = error.status == dnnl_out_of_memory ? ErrorKind::Quota : ErrorKind::Device;
  raise(kind, fmt::format("oneDNN: {} (status {})", error.what(), static_cast<int>(error.status)));
}

}  // namespace braid::cpu
