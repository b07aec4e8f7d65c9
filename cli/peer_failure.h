#pragma once

#include <string>

namespace braid::cli {

/// A peer that was asked for and not measured, and why.
struct PeerFailure {
  std::string model;
  std::string peer;
  std::string message;
};

}  // namespace braid::cli
