#include "rewrite/rules/pool.h"

#include "ops/call.h"
#include "ops/pool.h"

namespace braid {
namespace {

bool is_global(const Node& node) {
  return node.op == "GlobalMaxPool" || node.op == "GlobalAveragePool";
}

bool rounds_up(const Node& pool) { return pool.attributes.integer("ceil_mode", 0) != 0; }

/// Whether no window reads anything but elements.
bool reads_no_padding(const Node& pool) {
  const std::string automatic = pool.attributes.text("auto_pad", "NOTSET");
  if (automatic == "VALID") return !rounds_up(pool);
  if (automatic != "NOTSET" || rounds_up(pool)) return false;
  for (const std::int64_t pad : pool.attributes.integers("pads"))
    if (pad != 0) return false;
  return true;
}

}  // namespace

bool is_pool(const Node& node) {
  if (node.outputs.size() != 1) return false;
  return node.op == "MaxPool" || node.op == "AveragePool" || is_global(node);
}

bool is_average(const Node& node) {
  return node.op == "AveragePool" || node.op == "GlobalAveragePool";
}

// The last window begins before the end of the elements: where sizes are rounded up, less than a
// stride behind the last that lies within the padding.
bool reads_in_every_window(const Graph& graph, const Node& pool) {
  if (is_global(pool) || reads_no_padding(pool)) return true;
  const Window window = pool_geometry(call_of(graph, pool)).window;
  for (std::size_t axis = 0; axis < window.axes(); ++axis) {
    const std::int64_t kernel = window.kernel[axis];
    if (window.dilations[axis] != 1 || window.pads_begin[axis] >= kernel ||
        window.pads_end[axis] >= kernel)
      return false;
    if (rounds_up(pool) && window.strides[axis] > kernel - window.pads_end[axis]) return false;
  }
  return true;
}

bool has_one_divisor(const Node& pool) {
  if (is_global(pool) || reads_no_padding(pool)) return true;
  return pool.attributes.integer("count_include_pad", 0) != 0 && !rounds_up(pool);
}

bool keeps_constants(const Graph& graph, const Node& pool) {
  if (is_global(pool) || reads_no_padding(pool)) return true;
  return pool.attributes.integer("count_include_pad", 0) == 0 && reads_in_every_window(graph, pool);
}

}  // namespace braid
