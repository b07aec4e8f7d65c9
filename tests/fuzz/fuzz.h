#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <braid/tensor.h>

#include "base/error.h"
#include "graph/graph.h"
#include "graph/quotas.h"

/// What the fuzz targets share. A target is one file that defines seeds() and
/// LLVMFuzzerTestOneInput, and LLVMFuzzerCustomMutator where bytes changed at random would seldom
/// mean anything. With libFuzzer it is a fuzzer; with replay.cpp a test that runs what is kept and
/// some inputs made from it.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace braid::fuzz {

/// Inputs to begin with, made rather than kept. May be empty.
std::vector<std::string> seeds();

/// Tells what is wrong and ends the process, which keeps the input.
[[noreturn]] void fail(std::string_view what);

/// Whether an Error of this kind is an answer to a bad input. The others tell of a bug.
bool is_answer(ErrorKind kind);

/// Bodies of attempt() that came to their end, in this process: 0 would mean that nothing is
/// tested.
extern std::size_t attempts_completed;

/// Runs `body`, and says whether it came to its end; fails unless that, or an answer, is how it
/// ended.
template <std::invocable Body>
bool attempt(Body&& body) {
  try {
    body();
    ++attempts_completed;
    return true;
  } catch (const Error& error) {
    if (!is_answer(error.kind()))
      fail(std::string(name(error.kind())) + " error: " + error.what() + " (" +
           error.where().file_name() + ":" + std::to_string(error.where().line()) + ")");
  } catch (const std::exception& error) {
    fail(std::string("an exception that is no Error: ") + error.what());
  }
  return false;
}

/// What keeps an input to milliseconds.
Quotas small_quotas();

struct OwnedBytes {
  explicit OwnedBytes(std::string_view text) : owner(std::make_shared<const std::string>(text)) {}

  std::shared_ptr<const std::string> owner;
  std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(owner->data(), owner->size()));
  }
};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Tensors for the graph's inputs: small numbers, the same each time.
std::vector<Tensor> inputs_for(const Graph& graph);

}  // namespace braid::fuzz
