#include "device/cpu/lanes/lane_settings.h"

#include <xmmintrin.h>

// Clang has no omp.h without its own OpenMP library; these two are fixed by the OpenMP standard.
extern "C" {
int omp_get_max_threads();
void omp_set_num_threads(int count);
}

namespace braid::cpu {
namespace {

constexpr unsigned kFlushToZero = 0x8000;
constexpr unsigned kDenormalsAreZero = 0x0040;

}  // namespace

LaneSettings::LaneSettings() : control_(_mm_getcsr()), threads_(omp_get_max_threads()) {
  _mm_setcsr(control_ | kFlushToZero | kDenormalsAreZero);
  omp_set_num_threads(1);
}

LaneSettings::~LaneSettings() {
  omp_set_num_threads(threads_);
  _mm_setcsr(control_);
}

}  // namespace braid::cpu
