#include <algorithm>
#include <array>
#include <memory>

#include "base/checked.h"
#include "device/cpu/kernels/elementwise.h"
#include "device/cpu/kernels/part.h"
#include "device/cpu/machine/machine.h"
#include "ops/chain.h"
#include "ops/kernels_cpu.h"
#include "ops/shared/broadcast.h"

namespace braid::cpu {
namespace {

/// What several steps work on are tiles that each take this part of the first-level cache. A single
/// step has no results to keep there, so its tile is larger.
constexpr std::int64_t kShareOfTile = 4;
constexpr std::int64_t kSingleTile = std::int64_t{1} << 16;
constexpr std::int64_t kElementsOfLine = 16;

/// Elements of a tile for this output, in whole lines; small outputs need less.
std::int64_t tile_of(const TensorType& output) {
  const std::int64_t most =
      machine().first_level_bytes / kShareOfTile / std::int64_t{sizeof(float)};
  return ceil_div(std::min(most, element_count(output)), kElementsOfLine) * kElementsOfLine;
}

/// A step of the chain. The last one writes the output, each of the others its slot of a tile.
struct Step {
  BlockFunction function;
  std::vector<std::size_t> operands;  ///< inputs, then slots
  std::size_t slot = 0;
  float alpha = 0;
  float beta = 0;
};

struct Steps {
  std::vector<Step> steps;
  std::size_t slots = 0;
};

/// Gives every result a slot that holds nothing that is still to be read.
Steps with_slots(const std::vector<ChainStep>& chain, std::size_t inputs) {
  std::vector<std::size_t> last_use(chain.size(), 0);
  for (std::size_t i = 0; i < chain.size(); ++i)
    for (const std::int64_t operand : chain[i].operands)
      if (const auto value = static_cast<std::size_t>(operand); value >= inputs)
        last_use[value - inputs] = i;
  Steps result;
  std::vector<std::size_t> slot_of(chain.size(), 0);
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    Step step{block_function(chain[i].op), {}, 0, chain[i].alpha, chain[i].beta};
    if (i + 1 < chain.size()) {
      if (free.empty()) free.push_back(result.slots++);
      step.slot = slot_of[i] = free.back();
      free.pop_back();
    }
    for (const std::int64_t operand : chain[i].operands) {
      const auto value = static_cast<std::size_t>(operand);
      step.operands.push_back(value < inputs ? value : inputs + slot_of[value - inputs]);
    }
    for (std::size_t j = 0; j < i; ++j)
      if (last_use[j] == i) free.push_back(slot_of[j]);
    result.steps.push_back(std::move(step));
  }
  return result;
}

enum class OutputRows { Dense, Apart };

/// The steps on a part of the output, tile by tile.
class ChainKernel {
 public:
  ChainKernel(std::shared_ptr<const Steps> steps, std::vector<Dims> strides,
              const TensorType& output, const Part& part, OutputRows output_rows)
      : steps_(std::move(steps)), first_(strides.size(), 0), output_rows_(output_rows) {
    Dims dims = output.dims;
    if (part.count > 1) {
      const CutRange range = cut_range(output, part.cut, part.index, part.count);
      const auto axis = static_cast<std::size_t>(part.cut.axis);
      for (std::size_t i = 0; i < strides.size(); ++i) first_[i] = range.begin * strides[i][axis];
      dims[axis] = range.end - range.begin;
    }
    output_begin_ = outermost_range(output, part).begin;
    Dims output_dims = dims;
    if (output_rows == OutputRows::Apart) {
      row_begin_ = output_begin_ / output.dims.back();
      output_begin_ %= output.dims.back();
      ++output_dims.back();
    }
    strides.push_back(dense_strides(output_dims));
    join_axes(dims, strides);
    strides.pop_back();
    while (dims.size() < 2) {
      dims.insert(dims.begin(), 1);
      for (Dims& stride : strides) stride.insert(stride.begin(), 0);
    }
    count_ = dims.back();
    rows_ = dims[dims.size() - 2];
    for (const Dims& stride : strides) lines_.push_back({stride[stride.size() - 2], stride.back()});
    outer_.assign(dims.begin(), dims.end() - 2);
    for (Dims& stride : strides) stride.resize(outer_.size());
    outer_strides_ = std::move(strides);
    tile_ = steps_->slots == 0 ? kSingleTile : tile_of(output);
  }

  void operator()(const KernelArgs& args) const {
    std::array<const float*, kMostOperands> operands{};
    for (std::size_t i = 0; i < lines_.size(); ++i)
      operands[i] = args.inputs[i] == nullptr ? nullptr : args.in<float>(i) + first_[i];
    auto* slots = reinterpret_cast<float*>(args.scratch);
    const std::int64_t to_row = output_rows_ == OutputRows::Apart ? args.pitch : count_;
    float* to = args.out<float>(0) + row_begin_ * to_row + output_begin_;
    std::array<std::int64_t, kMostAxes> at{};
    while (true) {
      run_rows(operands, slots, to, to_row);
      to += rows_ * to_row;
      std::size_t axis = outer_.size();
      for (; axis > 0 && at[axis - 1] + 1 == outer_[axis - 1]; --axis) {
        move(operands, axis - 1, -at[axis - 1]);
        at[axis - 1] = 0;
      }
      if (axis == 0) return;
      ++at[axis - 1];
      move(operands, axis - 1, 1);
    }
  }

  static constexpr std::size_t kMostOperands = kMostChainInputs + kMostChainSteps;
  static constexpr std::size_t kMostAxes = 16;

 private:
  using Operands = std::array<const float*, kMostOperands>;
  /// How an input runs along the two innermost axes.
  struct Line {
    std::int64_t row;
    std::int64_t step;
  };

  void move(Operands& operands, std::size_t axis, std::int64_t by) const {
    for (std::size_t i = 0; i < lines_.size(); ++i) operands[i] += by * outer_strides_[i][axis];
  }

  void run_rows(const Operands& operands, float* slots, float* to, std::int64_t to_row) const {
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, tile_ / count_);
    for (std::int64_t r = 0; r < rows_; r += rows_at_once)
      for (std::int64_t c = 0; c < count_; c += tile_) {
        Operands here{};
        for (std::size_t i = 0; i < lines_.size(); ++i)
          here[i] = operands[i] + r * lines_[i].row + c * lines_[i].step;
        run_tile(here, slots, {to + r * to_row + c, to_row}, std::min(rows_at_once, rows_ - r),
                 std::min(tile_, count_ - c));
      }
  }

  struct Target {
    float* first;
    std::int64_t row;
  };

  void run_tile(const Operands& operands, float* slots, Target to, std::int64_t rows,
                std::int64_t count) const {
    const auto line_of = [&](std::size_t operand) {
      return operand < lines_.size() ? lines_[operand] : Line{count, 1};
    };
    const auto begin_of = [&](std::size_t operand) {
      const std::size_t inputs = lines_.size();
      return operand < inputs ? operands[operand]
                              : slots + static_cast<std::int64_t>(operand - inputs) * tile_;
    };
    // Rows that follow one another without a gap are taken as one, and so are those of one number.
    const auto is_flat = [&](Line line) {
      return rows == 1 || (line.step == 1 ? line.row == count : line.row == 0);
    };
    for (const Step& step : steps_->steps) {
      const bool last = &step == &steps_->steps.back();
      const bool two = step.operands.size() == 2;
      const Line a = line_of(step.operands[0]);
      const Line b = line_of(step.operands[two ? 1 : 0]);
      Block block{begin_of(step.operands[0]),
                  begin_of(step.operands[two ? 1 : 0]),
                  a.row,
                  b.row,
                  a.step,
                  b.step,
                  last ? to.first : slots + static_cast<std::int64_t>(step.slot) * tile_,
                  rows,
                  count,
                  step.alpha,
                  step.beta,
                  last ? to.row : count};
      if (is_flat(a) && is_flat(b) && is_flat({block.to_row, 1})) {
        block.count = rows * count;
        block.rows = 1;
      }
      step.function(block);
    }
  }

  std::shared_ptr<const Steps> steps_;
  std::vector<std::int64_t> first_;  ///< where the part begins in each input
  OutputRows output_rows_;
  std::int64_t row_begin_ = 0;  ///< where it begins in the output, if rows lie apart
  std::int64_t output_begin_ = 0;
  std::vector<Line> lines_;
  std::int64_t rows_ = 1;
  std::int64_t count_ = 1;
  Dims outer_;
  std::vector<Dims> outer_strides_;
  std::int64_t tile_ = kSingleTile;
};

}  // namespace

std::optional<Way> prepare_chain(const OpCall& call) {
  const std::vector<ChainStep> chain =
      call.op == "Chain" ? read_chain(*call.attributes, call.inputs.size()) : chain_steps(call);
  if (chain.empty() || chain.size() > kMostChainSteps || call.inputs.size() > kMostChainInputs ||
      call.outputs[0].dims.size() > ChainKernel::kMostAxes)
    return std::nullopt;
  const TensorType output = call.outputs[0];
  std::vector<Dims> strides;
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    strides.push_back(call.has(i) ? broadcast_strides(call.dims(i), output.dims)
                                  : Dims(output.dims.size(), 0));
  const auto steps = std::make_shared<const Steps>(with_slots(chain, call.inputs.size()));
  Way way;
  way.implementation = "chain";
  way.scratch_bytes =
      static_cast<std::int64_t>(steps->slots) * tile_of(output) * std::int64_t{sizeof(float)};
  way.cuts = cuts_in(output, {});
  way.takes_pitch = !output.dims.empty() && output.dims.back() > 1;
  way.make = [=, apart = way.takes_pitch](const Part& part) -> Kernel {
    ChainKernel dense(steps, strides, output, part, OutputRows::Dense);
    if (!apart) return dense;
    return [dense, apart = ChainKernel(steps, strides, output, part, OutputRows::Apart)](
               const KernelArgs& args) { args.pitch == 0 ? dense(args) : apart(args); };
  };
  return way;
}

}  // namespace braid::cpu
