#pragma once

#include <cstdint>

namespace braid::onnx {

/// How much a model file may ask for. Each is checked before the memory it guards is taken; what
/// goes beyond is an Error of kind Quota that names the quota. The defaults leave room for every
/// model we know.
struct Quotas {
  /// Memory that the parsed metadata (everything but weights) may take, as estimated beforehand.
  std::int64_t metadata_bytes = std::int64_t{1} << 30;
  /// Nodes in the file, and nodes after functions and branches are inlined.
  std::int64_t nodes = 2'000'000;
  /// Initialisers and tensors in attributes.
  std::int64_t tensors = 1'000'000;
  /// Graphs inside attributes of nodes, and functions called by functions.
  std::int64_t nesting = 32;
  std::int64_t rank = 64;
  /// Of any one value.
  std::int64_t elements = std::int64_t{1} << 40;
  /// Of any one name.
  std::int64_t name_bytes = 64 * 1024;
};

}  // namespace braid::onnx
