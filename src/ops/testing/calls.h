#pragma once

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/call.h"

/// For tests of operators: call one, look at its result or its complaint.

namespace braid {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
inline constexpr auto kHighest = std::numeric_limits<std::int64_t>::max();

inline Attribute whole(std::int64_t x) { return x; }
inline Attribute word(const char* x) { return std::string(x); }

inline Tensor result_of(std::string_view op, const std::vector<Tensor>& inputs,
                        const Attributes& attributes = {}) {
  return evaluate(op, attributes, inputs).at(0);
}

/// "Model: message", or "no error".
inline std::string complaint_of(std::string_view op, const std::vector<Tensor>& inputs,
                                const Attributes& attributes = {}, std::size_t outputs = 1) {
  try {
    evaluate(op, attributes, inputs, outputs);
  } catch (const Error& error) {
    return std::string(name(error.kind())) + ": " + error.message();
  }
  return "no error";
}

template <class T>
void expect_elements(const Tensor& tensor, const Dims& dims, std::initializer_list<T> elements) {
  ASSERT_EQ(to_string(tensor.type()), to_string(TensorType{ElementOf<T>::value, dims}));
  const auto data = tensor.data<T>();
  EXPECT_EQ(std::vector<T>(data.begin(), data.end()), std::vector<T>(elements));
}

inline void expect_near(const Tensor& tensor, const Dims& dims,
                        std::initializer_list<float> elements, float tolerance = 1e-6F) {
  ASSERT_EQ(to_string(tensor.type()), to_string(TensorType{ElementType::F32, dims}));
  const auto data = tensor.data<float>();
  ASSERT_EQ(data.size(), elements.size());
  for (std::size_t i = 0; i < data.size(); ++i)
    EXPECT_NEAR(data[i], elements.begin()[i], tolerance) << "element " << i;
}

inline Tensor floats(Dims dims, std::initializer_list<float> elements) {
  return Tensor::of<float>(std::move(dims), elements);
}
inline Tensor integers(Dims dims, std::initializer_list<std::int64_t> elements) {
  return Tensor::of<std::int64_t>(std::move(dims), elements);
}
/// A list of integers, as shapes and axes are given.
inline Tensor list(std::initializer_list<std::int64_t> elements) {
  return integers({static_cast<std::int64_t>(elements.size())}, elements);
}

}  // namespace braid
