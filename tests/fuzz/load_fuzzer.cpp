// Bytes as an ONNX model: load (with shapes), canonicalise and print; and survey.

#include "graph/text.h"
#include "graph/verify.h"
#include "onnx/load.h"
#include "onnx/survey.h"
#include "rewrite/canonicalise.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/model_mutator.h"

namespace braid::fuzz {

namespace {

void check(std::string_view bytes) {
  const OwnedBytes owned(bytes);
  onnx::LoadOptions options;
  options.quotas = small_quotas();
  Graph graph = onnx::load_bytes(owned.bytes(), owned.owner, options);
  verify(graph);
  const Canonicalised canonical = canonicalise(std::move(graph));
  verify(canonical.graph);
  print(canonical.graph, {.types = true});
}

/// What is refused must not keep the rest from being told.
void check_survey(std::string_view bytes) {
  const OwnedBytes owned(bytes);
  onnx::LoadOptions options;
  options.quotas = small_quotas();
  const onnx::Survey survey = onnx::survey_bytes(owned.bytes(), owned.owner, options);
  for (const onnx::DeclaredValue& input : survey.inputs) onnx::type_text(input);
}

}  // namespace

std::vector<std::string> seeds() { return {}; }

}  // namespace braid::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braid::fuzz;
  attempt([&] { check(text_of(data, size)); });
  attempt([&] { check_survey(text_of(data, size)); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return braid::fuzz::mutate_model_bytes(data, size, most, seed);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size,
                                                 const std::uint8_t* b, std::size_t b_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  return braid::fuzz::join_model_bytes({a, a_size}, {b, b_size}, {out, most}, seed);
}
