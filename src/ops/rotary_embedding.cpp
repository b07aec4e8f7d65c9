#include "ops/rotary_embedding.h"

#include <fmt/format.h>

#include "base/error.h"
#include "ops/definitions.h"
#include "tensor/element.h"

namespace braid {
namespace {

[[noreturn]] void reject(const OpCall& call, const std::string& why) {
  raise(ErrorKind::Model, fmt::format("RotaryEmbedding of {} {}", to_string(call.input(0)), why));
}

}  // namespace

Rotation rotation_of(const OpCall& call) {
  const Dims& x = call.dims(0);
  Rotation r = {};
  if (x.size() == 4) {
    r = {.batch = x[0], .heads = x[1], .length = x[2], .size = x[3]};
  } else if (x.size() == 3) {
    const std::int64_t heads = call.attributes->integer("num_heads", 0);
    if (heads < 1 || x[2] % heads != 0)
      reject(call, fmt::format("needs an attribute num_heads that divides {}", x[2]));
    r = {.batch = x[0], .heads = heads, .length = x[1], .size = x[2] / heads, .heads_inside = true};
  } else {
    reject(call, "needs an input of rank 3 or 4");
  }
  r.rotated = call.attributes->integer("rotary_embedding_dim", 0);
  if (r.rotated == 0) r.rotated = r.size;
  if (r.rotated < 0 || r.rotated > r.size || r.rotated % 2 != 0)
    reject(call, fmt::format("cannot rotate {} elements of heads of size {}", r.rotated, r.size));
  r.interleaved = call.attributes->integer("interleaved", 0) != 0;
  return r;
}

std::int64_t checked_position(const TensorType& x, std::int64_t position, std::int64_t cached) {
  if (position < 0 || position >= cached)
    raise(ErrorKind::Model,
          fmt::format("RotaryEmbedding of {} has the position {}, but the cache has {}",
                      to_string(x), position, cached));
  return position;
}

namespace {

std::vector<TensorType> infer_rotary(const OpCall& call) {
  const Rotation r = rotation_of(call);
  for (std::size_t i = 1; i < 3; ++i) {
    const TensorType& cache = call.input(i);
    const bool by_position = call.has(3);
    bool fits = cache.element == call.input(0).element;
    if (by_position)
      fits = fits && cache.dims.size() == 2 && cache.dims[1] == r.rotated / 2 &&
             cache.dims == call.dims(1);
    else
      fits = fits && cache.dims == Dims{r.batch, r.length, r.rotated / 2};
    if (!fits)
      reject(call, fmt::format("does not fit the {} cache {}", i == 1 ? "cosine" : "sine",
                               to_string(cache)));
  }
  if (call.has(3) && call.input(3) != TensorType{ElementType::I64, {r.batch, r.length}})
    reject(call, fmt::format("does not fit the position ids {}", to_string(call.input(3))));
  return {call.input(0)};
}

Work rotary_work(const OpCall& call) {
  return {.flops = 3 * static_cast<double>(element_count(call.input(0)))};
}

template <class T>
void rotate(const OpCall& call, std::span<const Tensor> inputs, std::span<T> to) {
  const Rotation r = rotation_of(call);
  const std::int64_t half = r.rotated / 2;
  const auto in = inputs[0].data<T>();
  const auto cosines = inputs[1].data<T>();
  const auto sines = inputs[2].data<T>();
  for (std::int64_t b = 0; b < r.batch; ++b)
    for (std::int64_t i = 0; i < r.length; ++i) {
      std::int64_t row = b * r.length + i;
      if (call.has(3))
        row = checked_position(call.input(0),
                               inputs[3].data<std::int64_t>()[static_cast<std::size_t>(row)],
                               inputs[1].dims()[0]);
      for (std::int64_t h = 0; h < r.heads; ++h) {
        const std::int64_t head =
            r.heads_inside ? (b * r.length + i) * r.heads + h : (b * r.heads + h) * r.length + i;
        const auto at = [&](std::int64_t k) { return static_cast<std::size_t>(head * r.size + k); };
        for (std::int64_t k = 0; k < half; ++k) {
          const std::size_t first = at(r.interleaved ? 2 * k : k);
          const std::size_t second = at(r.interleaved ? 2 * k + 1 : half + k);
          const auto x = load(in[first]);
          const auto y = load(in[second]);
          const auto cosine = load(cosines[static_cast<std::size_t>(row * half + k)]);
          const auto sine = load(sines[static_cast<std::size_t>(row * half + k)]);
          to[first] = store<T>(cosine * x - sine * y);
          to[second] = store<T>(sine * x + cosine * y);
        }
        for (std::int64_t k = r.rotated; k < r.size; ++k) to[at(k)] = in[at(k)];
      }
    }
}

std::vector<Tensor> evaluate_rotary(const OpCall& call, std::span<const Tensor> inputs) {
  Tensor out = Tensor::uninitialised(call.outputs[0]);
  dispatch_floats(out.element(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    rotate<T>(call, inputs, out.mutable_data<T>());
  });
  return {out};
}

}  // namespace

std::vector<OpDef> rotary_embedding_ops() {
  OpDef def;
  def.name = "RotaryEmbedding";
  def.versions = {23};
  def.min_inputs = 3;
  def.max_inputs = 4;
  def.attributes = {{"interleaved", AttributeKind::Integer},
                    {"num_heads", AttributeKind::Integer},
                    {"rotary_embedding_dim", AttributeKind::Integer}};
  def.types = kFloats;
  def.infer = infer_rotary;
  def.work = rotary_work;
  def.evaluate = evaluate_rotary;
  return {def};
}

}  // namespace braid
