#pragma once

#include <memory>
#include <string_view>

#include "device/device.h"
#include "device/device_options.h"
#include "sim/gpu_spec.h"
#include "sim/kernels.h"

namespace braid::sim {

/// A GPU that is not there: plans for it can be made, compared and explained, but not run.
///
/// `what` is a GPU's name or the path of a spec file, then any of "+tf32" (convolutions on tensor
/// cores), "+streams" (streams and events instead of a CUDA Graph), one of "+measured" and
/// "+answers" (whose choice of kernels counts; else what was fitted) and one of "+eager" and
/// "+framework" (whose kernels a model becomes; else ours): "a100+tf32+eager". The spec's name is
/// `what` after "sim:". Throws Usage, listing what there is, for a GPU or a word that there is not,
/// for a word that would change nothing, and for two that exclude each other. The options are for
/// real cores: a note says that they are not heeded.
std::unique_ptr<Device> make_device(std::string_view what, const DeviceOptions& options = {});
/// The GPU of such a device.
GpuSpec gpu_of(std::string_view what);
/// Which kernels such a device takes.
KernelOptions kernel_options_of(std::string_view what);

}  // namespace braid::sim
