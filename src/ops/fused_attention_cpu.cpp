#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "base/checked.h"
#include "device/cpu/kernels/attention_direct.h"
#include "device/cpu/kernels/attention_hidden.h"
#include "device/cpu/kernels/attention_panels.h"
#include "device/cpu/kernels/attention_rows.h"
#include "device/cpu/kernels/panel_block.h"
#include "device/cpu/machine/machine.h"
#include "ops/call.h"
#include "ops/fused_attention.h"
#include "ops/kernels_cpu.h"
#include "plan/plan.h"

namespace braid::cpu {
namespace {

constexpr std::int64_t kFloatSize = sizeof(float);
/// The scores of the rows that are worked on together take this part of the second-level cache, and
/// the values that these rows are multiplied by at once take another; keys want the rest.
constexpr std::int64_t kShareOfScores = 2;
constexpr std::int64_t kShareOfValues = 4;
/// Rows that are worked on together leave out the keys that their window hides from all of them:
/// with few rows more keys are left out, with many each panel serves more of them.
constexpr std::int64_t kWindowRows = 64;

/// Matrices as they lie in memory: elements from one to the next along each axis of the output that
/// comes before its matrices, 0 where one is repeated, and inside them.
struct Matrices {
  Dims batch;
  std::int64_t row = 0;
  std::int64_t column = 0;
};

Matrices matrices_in(const Dims& dims, const AxisOrder& order, std::size_t batch_axes) {
  Dims strides = strides_in(dims, order);
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (dims[i] == 1) strides[i] = 0;
  const std::size_t behind = dims.size();
  const std::size_t own = behind - std::min<std::size_t>(behind, 2);
  Matrices result{Dims(batch_axes - own), 0, 0};
  result.batch.insert(result.batch.end(), strides.begin(),
                      strides.begin() + static_cast<std::ptrdiff_t>(own));
  if (behind >= 2) result.row = strides[behind - 2];
  if (behind >= 1) result.column = strides[behind - 1];
  return result;
}

bool follow_one_another(std::int64_t elements, std::int64_t step) {
  return step == 1 || elements == 1;
}

/// Whether the elements of a row follow one another.
bool has_dense_rows(const Dims& dims, const AxisOrder& order) {
  return follow_one_another(dims.back(), strides_in(dims, order).back());
}

/// What one part makes.
struct AttentionPart {
  Dims first;  ///< along the axes before the matrices
  Dims end;
  CutRange rows;
};

/// Each head's keys and values are packed into panels; then some rows at a time go through them:
///
///     q [rows, depth] x keys [depth, all keys]      scores, which stay in the second-level cache
///     scale, masks, softmax of every row            shares, in their place
///     shares x values [some keys, columns]          added to the output, for all keys in order
///
/// A few rows read keys and values where they lie. Under a window, rows that go together begin at
/// the same places in every part, so that these leave out the same keys.
class AttentionKernel {
 public:
  AttentionKernel(const KernelCall& call, const FusedAttention& attention,
                  const std::vector<AxisOrder>& inputs, const AxisOrder& output)
      : attention_(attention), shape_(panel_shape(isa_)) {
    const std::size_t axes = attention.batch.size();
    for (std::size_t i = 0; i < call.op.inputs.size(); ++i)
      inputs_.push_back(matrices_in(call.op.dims(i), inputs[i], axes));
    if (attention.keys_by_rows) std::swap(inputs_[1].row, inputs_[1].column);
    output_ = matrices_in(call.op.outputs[0].dims, output, axes);
    direct_ = attention.rows <= kMostDirectRows &&
              follow_one_another(attention.depth, inputs_[1].row) &&
              follow_one_another(attention.columns, inputs_[2].column);
    width_ = shape_.vectors_for(attention.rows) * shape_.lanes;
    pitch_ = packed_columns(attention.keys, shape_.lanes);
    columns_ = packed_columns(attention.columns, shape_.lanes);
    rows_together_ = std::min(attention.rows, std::max(machine().second_level_bytes /
                                                           kShareOfScores / kFloatSize / pitch_,
                                                       kMostBlockRows));
    const std::int64_t block = shape_.rows_of(shape_.most_vectors);
    if (attention.window.after >= 0)
      rows_together_ = std::min(rows_together_, ceil_div(kWindowRows, block) * block);
    grain_ = attention.window.after >= 0 ? rows_together_ : block;
    keys_together_ = std::max(machine().second_level_bytes / kShareOfValues / kFloatSize / width_,
                              shape_.widest());
  }

  std::int64_t scratch_bytes() const {
    if (direct_) return checked_mul(checked_mul(rows_together_, pitch_), kFloatSize);
    std::int64_t floats = checked_mul(pitch_, attention_.depth);
    floats = checked_add(floats, checked_mul(columns_, attention_.keys));
    floats = checked_add(floats, checked_mul(rows_together_, pitch_));
    floats = checked_add(floats, checked_mul(rows_together_, columns_));
    return checked_mul(floats, kFloatSize);
  }

  /// Parts of the rows begin at multiples of it.
  std::int64_t grain() const { return grain_; }

  void run(const KernelArgs& args, const AttentionPart& part) const {
    Head head{args, rooms_in(args.scratch)};
    Dims at = part.first;
    const float* packed_k = nullptr;
    const float* packed_v = nullptr;
    do {
      head.place(*this, at);
      if (!direct_ && packed_k != head.k) pack_keys(head);
      if (!direct_ && packed_v != head.v) pack_values(head);
      packed_k = head.k;
      packed_v = head.v;
      for (std::int64_t row = part.rows.begin; row < part.rows.end; row += rows_together_)
        run_rows(head, {row, std::min(row + rows_together_, part.rows.end)});
    } while (step(at, part));
  }

 private:
  /// Pieces of the scratch.
  struct Rooms {
    float* keys = nullptr;
    float* values = nullptr;
    float* scores = nullptr;
    float* sums = nullptr;  ///< results whose rows are not whole vectors
  };

  /// One matrix of each operand, and where its parts are.
  struct Head {
    const KernelArgs& args;
    Rooms rooms;
    const float* q = nullptr;
    const float* k = nullptr;
    const float* v = nullptr;
    std::array<const std::byte*, FusedAttention::kMostMasks> masks = {};
    float* output = nullptr;
    std::int64_t output_row = 0;

    void place(const AttentionKernel& kernel, const Dims& at) {
      const auto offset = [&](const Matrices& matrices) {
        return std::inner_product(at.begin(), at.end(), matrices.batch.begin(), std::int64_t{0});
      };
      q = args.in<float>(0) + offset(kernel.inputs_[0]);
      k = args.in<float>(1) + offset(kernel.inputs_[1]);
      v = args.in<float>(2) + offset(kernel.inputs_[2]);
      for (std::size_t i = 0; i < kernel.attention_.masks.size(); ++i) {
        const std::size_t input = FusedAttention::kOperands + i;
        masks[i] = args.inputs[input] + offset(kernel.inputs_[input]) * kernel.mask_bytes(i);
      }
      const std::int64_t columns = kernel.attention_.columns;
      const std::int64_t pitch = args.pitch_of_rows(columns);
      output = args.out<float>(0) + offset(kernel.output_) / columns * pitch;
      output_row = kernel.output_.row / columns * pitch;
    }
  };

  Rooms rooms_in(std::byte* scratch) const {
    if (direct_) return {.scores = reinterpret_cast<float*>(scratch)};
    Rooms rooms{};
    rooms.keys = reinterpret_cast<float*>(scratch);
    rooms.values = rooms.keys + pitch_ * attention_.depth;
    rooms.scores = rooms.values + columns_ * attention_.keys;
    rooms.sums = rooms.scores + rows_together_ * pitch_;
    return rooms;
  }

  std::int64_t mask_bytes(std::size_t i) const {
    return attention_.masks[i].kind == AttentionMask::Kind::Add ? kFloatSize : 1;
  }

  /// Goes on to the next head; false after the last.
  static bool step(Dims& at, const AttentionPart& part) {
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < part.end[axis]) return true;
      at[axis] = part.first[axis];
    }
    return false;
  }

  void pack_keys(const Head& head) const {
    const Matrices& k = inputs_[1];
    pack_panels({head.k, attention_.depth, attention_.keys, k.row, k.column}, width_, shape_.lanes,
                head.rooms.keys);
  }

  void pack_values(const Head& head) const {
    const Matrices& v = inputs_[2];
    pack_panels({head.v, attention_.keys, attention_.columns, v.row, v.column}, width_,
                shape_.lanes, head.rooms.values);
  }

  void run_rows(const Head& head, CutRange rows) const {
    const std::int64_t keys = attention_.window.end(rows.end - 1, attention_.keys);
    make_scores(head, rows, keys);
    std::array<MaskRows, FusedAttention::kMostMasks> masks;
    const std::size_t count = attention_.masks.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Matrices& mask = inputs_[FusedAttention::kOperands + i];
      masks[i] = {attention_.masks[i], head.masks[i] + rows.begin * mask.row * mask_bytes(i),
                  mask.row, mask.column};
    }
    make_shares(isa_, {.scores = head.rooms.scores,
                       .rows = rows.end - rows.begin,
                       .keys = keys,
                       .pitch = pitch_,
                       .scale = attention_.scale,
                       .cap = attention_.cap,
                       .masks = std::span(masks).first(count),
                       .window = attention_.window,
                       .first_row = rows.begin,
                       .undefined_is_zero = attention_.undefined_is_zero,
                       .hidden_is_zero = attention_.skips_hidden});
    multiply_values(head, rows, keys);
    if (!attention_.skips_hidden) return;
    leave_hidden_out({.shares = {head.rooms.scores, pitch_},
                      .rows = rows.end - rows.begin,
                      .values = head.v,
                      .value_row = inputs_[2].row,
                      .value_column = inputs_[2].column,
                      .keys = keys,
                      .columns = attention_.columns,
                      .sums = head.output + rows.begin * head.output_row,
                      .sum_row = head.output_row});
  }

  /// Rows of a product that begin at these places and lie these many elements apart.
  struct ProductRows {
    const float* from = nullptr;
    std::int64_t from_row = 0;
    float* to = nullptr;
    std::int64_t to_row = 0;
    std::int64_t count = 0;
  };

  /// to = from x panel, or is added to if it is not `first`.
  void multiply(const ProductRows& rows, const float* panel, std::int64_t depth,
                std::int64_t columns, bool first) const {
    const std::int64_t vectors = ceil_div(columns, shape_.lanes);
    const std::int64_t blocks = ceil_div(rows.count, shape_.rows_of(vectors));
    const float* pieces[kMostBlockRows];
    float* to[kMostBlockRows];
    PanelBlock block;
    block.pieces = pieces;
    block.taps = 1;
    block.channels = depth;
    block.panels = &panel;
    block.to = to;
    block.first = first;
    std::int64_t row = 0;
    for (std::int64_t i = 0; i < blocks; ++i) {
      const std::int64_t own = rows.count / blocks + (i < rows.count % blocks ? 1 : 0);
      for (std::int64_t r = 0; r < own; ++r) {
        pieces[r] = rows.from + (row + r) * rows.from_row;
        to[r] = rows.to + (row + r) * rows.to_row;
      }
      row += own;
      block.next = reinterpret_cast<const std::byte*>(rows.from + row * rows.from_row);
      panel_block(isa_, own, vectors, FetchRate::Medium)(block);
    }
  }

  void make_scores(const Head& head, CutRange rows, std::int64_t keys) const {
    const std::int64_t q_row = inputs_[0].row;
    if (direct_)
      return make_direct_scores(isa_, {.queries = {head.q + rows.begin * q_row, q_row},
                                       .rows = rows.end - rows.begin,
                                       .keys = {head.k, inputs_[1].column},
                                       .key_count = keys,
                                       .depth = attention_.depth,
                                       .to = head.rooms.scores,
                                       .to_step = pitch_});
    for (std::int64_t key = 0; key < keys; key += width_)
      multiply({head.q + rows.begin * q_row, q_row, head.rooms.scores + key, pitch_,
                rows.end - rows.begin},
               head.rooms.keys + key * attention_.depth, attention_.depth,
               std::min(width_, attention_.keys - key), true);
  }

  void multiply_values(const Head& head, CutRange rows, std::int64_t keys) const {
    const bool aside = columns_ != attention_.columns;
    const std::int64_t count = rows.end - rows.begin;
    float* output = head.output + rows.begin * head.output_row;
    if (direct_)
      return make_direct_sums(isa_, {.shares = {head.rooms.scores, pitch_},
                                     .rows = count,
                                     .values = {head.v, inputs_[2].row},
                                     .key_count = keys,
                                     .columns = attention_.columns,
                                     .to = output,
                                     .to_step = head.output_row});
    float* to = aside ? head.rooms.sums : output;
    const std::int64_t to_row = aside ? columns_ : head.output_row;
    for (std::int64_t column = 0; column < attention_.columns; column += width_) {
      const std::int64_t own = std::min(width_, attention_.columns - column);
      const std::int64_t packed = packed_columns(own, shape_.lanes);
      for (std::int64_t key = 0; key < keys; key += keys_together_)
        multiply({head.rooms.scores + key, pitch_, to + column, to_row, count},
                 head.rooms.values + column * attention_.keys + key * packed,
                 std::min(keys_together_, keys - key), own, key == 0);
    }
    for (std::int64_t r = 0; aside && r < count; ++r)
      std::copy_n(to + r * columns_, attention_.columns, output + r * head.output_row);
  }

  FusedAttention attention_;
  const Isa isa_ = isa();
  const PanelShape& shape_;
  std::vector<Matrices> inputs_;
  Matrices output_;
  bool direct_ = false;       // keys and values are not packed
  std::int64_t width_ = 0;    // of a panel
  std::int64_t pitch_ = 0;    // of a row of scores
  std::int64_t columns_ = 0;  // of the output, filled up to whole vectors
  std::int64_t rows_together_ = 0;
  std::int64_t keys_together_ = 0;
  std::int64_t grain_ = 0;
};

bool is_of_floats(const OpCall& call, const FusedAttention& attention) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const bool truths =
        i >= FusedAttention::kOperands &&
        attention.masks[i - FusedAttention::kOperands].kind != AttentionMask::Kind::Add;
    if (!truths && call.input(i).element != ElementType::F32) return false;
  }
  return true;
}

/// By heads, along the longest axis of them, or by rows: there every part packs keys and values.
std::vector<Cut> attention_cuts(const FusedAttention& attention, std::int64_t grain) {
  std::vector<Cut> cuts;
  const auto longest = std::ranges::max_element(attention.batch);
  if (longest != attention.batch.end() && *longest > 1)
    cuts.push_back({.axis = static_cast<int>(longest - attention.batch.begin())});
  if (attention.rows > grain)
    cuts.push_back({.axis = static_cast<int>(attention.batch.size()), .grain = grain});
  return cuts;
}

AttentionPart attention_part(const FusedAttention& attention, const TensorType& output,
                             const Part& part) {
  AttentionPart result{Dims(attention.batch.size()), attention.batch, {0, attention.rows}};
  if (part.count == 1) return result;
  const CutRange range = cut_range(output, part.cut, part.index, part.count);
  const auto axis = static_cast<std::size_t>(part.cut.axis);
  if (axis == attention.batch.size()) {
    result.rows = range;
  } else {
    result.first[axis] = range.begin;
    result.end[axis] = range.end;
  }
  return result;
}

}  // namespace

std::optional<Way> prepare_fused_attention(const KernelCall& call) {
  const FusedAttention attention = fused_attention(call.op);
  if (!is_of_floats(call.op, attention)) return std::nullopt;
  const TensorType output = call.op.outputs[0];
  Way way;
  way.implementation = "attention";
  way.takes_pitch = true;
  way.input_orders.resize(call.op.inputs.size());
  if (has_dense_rows(call.op.dims(0), call.inputs[0])) way.input_orders[0] = call.inputs[0];
  way.input_orders[1] = call.inputs[1];
  way.input_orders[2] = call.inputs[2];
  const bool rows_come_last =
      whole_order(call.output, output.dims.size()).back() + 1 == output.dims.size();
  way.output_orders = {rows_come_last ? call.output : AxisOrder{}};
  const auto kernel = std::make_shared<const AttentionKernel>(call, attention, way.input_orders,
                                                              way.output_orders[0]);
  way.scratch_bytes = kernel->scratch_bytes();
  way.cuts = attention_cuts(attention, kernel->grain());
  way.make = [=](const Part& part) -> Kernel {
    return [kernel, own = attention_part(attention, output, part)](const KernelArgs& args) {
      kernel->run(args, own);
    };
  };
  return way;
}

}  // namespace braid::cpu
