#include "cli/bounds_json.h"

#include <nlohmann/json.hpp>

namespace braid::cli {

nlohmann::ordered_json bounds_json(const Bounds& bounds) {
  return {{"critical_path", bounds.critical_path_us},
          {"work", bounds.work_us},
          {"bandwidth", bounds.bandwidth_us}};
}

}  // namespace braid::cli
