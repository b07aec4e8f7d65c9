#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

#include "onnx/proto.h"

/// Changes to ONNX models that mostly leave a model: other operators, attributes, shapes, types,
/// elements and edges.

namespace braid::fuzz {

void mutate(onnx::proto::ModelProto& model, std::mt19937& random);

/// Adds the nodes of `other`, one of them reading a value of `model`.
void join(onnx::proto::ModelProto& model, const onnx::proto::ModelProto& other,
          std::mt19937& random);

/// The same on serialised models, as libFuzzer asks for them. What is no model, and now and then
/// what is one, is changed byte by byte.
std::size_t mutate_model_bytes(std::uint8_t* data, std::size_t size, std::size_t most,
                               unsigned seed);
std::size_t join_model_bytes(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                             std::span<std::uint8_t> out, unsigned seed);

}  // namespace braid::fuzz
