#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/error.h"

namespace braid::onnx {

/// Something in a model that Braid does not run, as often as it is there.
struct Refusal {
  enum class Kind : std::uint8_t {
    Operator,  ///< every use of it
    Use,       ///< some use of an operator that Braid runs otherwise
    Type,      ///< an element type, or what is no tensor
    Version,   ///< of the file or of ONNX's operators
  };

  Kind kind = Kind::Operator;
  std::string what;    ///< the operator, type or version
  std::string domain;  ///< of an operator; empty: ONNX's own
  std::int64_t count = 1;
  std::string first;  ///< the first node or value that has it
  std::string reason;
  std::string advice;  ///< what helps; empty: nothing is known to
};

std::string_view name(Refusal::Kind kind);

/// What a model is refused for, each once, in the order in which it was first met.
class Refusals {
 public:
  void add(Refusal refusal);
  const std::vector<Refusal>& list() const { return list_; }

 private:
  using Key = std::tuple<Refusal::Kind, std::string, std::string, std::string>;
  std::vector<Refusal> list_;
  std::map<Key, std::size_t> places_;
};

/// Thrown where a node reads what a refused one would have made.
class UnknownValue : public Error {
 public:
  explicit UnknownValue(const std::string& message) : Error(ErrorKind::Unsupported, message) {}
};

}  // namespace braid::onnx
