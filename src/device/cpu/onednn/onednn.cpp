#include "device/cpu/onednn/onednn.h"

#include <fmt/format.h>

#include "base/error.h"
#include "device/cpu/machine/isa.h"

namespace braid::cpu {
namespace {

constexpr auto kFloat = dnnl::memory::data_type::f32;

dnnl_cpu_isa_t library_isa(Isa isa) {
  switch (isa) {
    case Isa::Avx512:
      return dnnl_cpu_isa_avx512_core;
    case Isa::Avx2:
      return dnnl_cpu_isa_avx2;
    case Isa::Baseline:
      break;
  }
  return dnnl_cpu_isa_sse41;
}

/// oneDNN takes a limit only before anything else is asked of it. If the program that we are part
/// of has used it already, it stays as it is.
dnnl::engine limited_engine() {
  dnnl_set_max_cpu_isa(library_isa(isa_of_process()));
  return {dnnl::engine::kind::cpu, 0};
}

std::string name_of(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41:
      return "SSE4.1";
    case dnnl::cpu_isa::avx2:
      return "AVX2";
    case dnnl::cpu_isa::avx512_core:
      return "AVX-512";
    default:
      return fmt::format("{:#x}", static_cast<int>(isa));
  }
}

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine instance = limited_engine();
  return instance;
}

std::string library_name() {
  engine();
  const dnnl_version_t& version = *dnnl_version();
  return fmt::format("{}.{}.{} for {}", version.major, version.minor, version.patch,
                     name_of(dnnl::get_effective_cpu_isa()));
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
