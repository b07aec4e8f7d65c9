#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "rewrite/testing/canonicalised.h"
#include "tensor/random_tensor.h"

namespace braid {
namespace {

/// Grows a graph of small images [2,4,5,5] from operators that the steps look for.
class RandomGraph {
 public:
  RandomGraph() : builder_(graph_) {
    images_.push_back(graph_.add_input("x", {ElementType::F32, {2, 4, 5, 5}}));
  }

  Graph finish(int nodes) {
    for (int i = 0; i < nodes; ++i) grow(*rc::gen::inRange(0, 15));
    for (std::size_t i = 0; i < images_.size(); ++i)
      if (i + 1 == images_.size() || *rc::gen::inRange(0, 8) == 0) graph_.add_output(images_[i]);
    return std::move(graph_);
  }

 private:
  ValueId any() { return images_[*rc::gen::inRange<std::size_t>(0, images_.size())]; }
  /// Mostly the newest value, so that patterns in a row appear.
  ValueId recent() { return *rc::gen::inRange(0, 4) == 0 ? any() : images_.back(); }

  ValueId weight(Dims dims) {
    return builder_.constant("w",
                             random_tensor({ElementType::F32, std::move(dims)}, {-1, 1}, ++seed_));
  }
  ValueId positive(Dims dims) {
    Tensor tensor = Tensor::uninitialised({ElementType::F32, std::move(dims)});
    for (float& x : tensor.mutable_data<float>()) x = 0.5F + static_cast<float>(++seed_ % 5);
    return builder_.constant("v", tensor);
  }
  ValueId conv(ValueId x) {
    const std::int64_t group = *rc::gen::element<std::int64_t>(1, 2, 4);
    const std::int64_t k = *rc::gen::element<std::int64_t>(1, 3);
    const std::int64_t p = k / 2;
    return builder_.add("Conv", {x, weight({4, 4 / group, k, k})},
                        {{"group", group}, {"pads", std::vector<std::int64_t>(4, p)}});
  }
  ValueId scalar(float x) { return builder_.constant("k", Tensor::scalar(x)); }

  void grow(int kind) {
    const ValueId x = recent();
    switch (kind) {
      case 0:
      case 1:
        return push(conv(x));
      case 2:
        return push(builder_.add("BatchNormalization",
                                 {x, weight({4}), weight({4}), weight({4}), positive({4})}));
      case 3:
        return push(builder_.add("Relu", {x}));
      case 4:
        return push(builder_.add("Add", {x, any()}));
      case 5:
        return push(builder_.add("Add", {x, weight({4, 1, 1})}));
      case 6:
        return push(builder_.add("Mul", {x, builder_.add("Sigmoid", {x})}));
      case 7:
        return push(builder_.add("Clip", {x, scalar(-0.5F), scalar(0.5F)}));
      case 8:
        return push(builder_.add("Mul", {x, scalar(*rc::gen::element(1.0F, 0.5F))}));
      case 9:
        return push(builder_.add("Identity", {x}));
      case 10: {
        const ValueId flat = builder_.add("Flatten", {x});
        return push(builder_.add("Reshape", {flat, builder_.integers("shape", {2, 4, 5, 5})}));
      }
      case 11: {
        const ValueId turned =
            builder_.add("Transpose", {x}, {{"perm", std::vector<std::int64_t>{0, 1, 3, 2}}});
        return push(
            builder_.add("Transpose", {turned},
                         {{"perm", *rc::gen::element(std::vector<std::int64_t>{0, 1, 3, 2},
                                                     std::vector<std::int64_t>{0, 1, 2, 3})}}));
      }
      case 12: {
        const ValueId pad =
            builder_.add("Pad", {x, builder_.integers("pads", {0, 0, 1, 0, 0, 0, 1, 2})});
        return push(builder_.add("Conv", {pad, weight({4, 4, 3, 3})}));
      }
      case 13: {
        const ValueId joined = builder_.add("Concat", {conv(x), conv(any())}, {{"axis", 1}});
        const ValueId norm = builder_.add(
            "BatchNormalization", {joined, weight({8}), weight({8}), weight({8}), positive({8})});
        return push(builder_.add("Conv", {norm, weight({4, 8, 1, 1})}));
      }
      default: {
        const ValueId pad =
            builder_.add("Pad", {x, builder_.integers("pads", {0, 0, 1, 1, 0, 0, 1, 1})});
        return push(builder_.add("AveragePool", {pad},
                                 {{"kernel_shape", std::vector<std::int64_t>{3, 3}}}));
      }
    }
  }
  void push(ValueId value) { images_.push_back(value); }

  Graph graph_;
  Builder builder_;
  std::vector<ValueId> images_;
  std::uint64_t seed_ = 0;
};

// Checks the outputs after every step, and at the end that surviving names still mean the same.
RC_GTEST_PROP(RandomGraph, MeansTheSameAfterEveryStep, ()) {
  const Graph graph = RandomGraph().finish(*rc::gen::inRange(1, 16));
  const Graph result = canonicalise(graph, {.verify_numbers = true}).graph;

  const Tensor input = random_tensor({ElementType::F32, {2, 4, 5, 5}}, {-1, 1}, 7);
  const std::vector<Tensor> before = evaluate(graph, std::span(&input, 1));
  const std::vector<Tensor> after = evaluate(result, std::span(&input, 1));
  for (ValueId id : result.value_ids()) {
    const ValueId old = graph.find(result.value(id).name);
    if (!old.valid() || result.is_constant(id)) continue;
    RC_ASSERT(relative_difference(before[old.at()], after[id.at()]) < 1e-3);
  }
  RC_ASSERT(result.outputs().size() == graph.outputs().size());
  for (std::size_t i = 0; i < graph.outputs().size(); ++i)
    RC_ASSERT(result.outputs()[i].name == graph.outputs()[i].name);
}

}  // namespace
}  // namespace braid
