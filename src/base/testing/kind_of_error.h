#pragma once

#include <optional>

#include "base/error.h"

/// For tests of what goes wrong.

namespace braid {

/// What kind of error leaves `body`, if one does.
template <class Body>
std::optional<ErrorKind> kind_of_error(Body body) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    return error.kind();
  }
}

}  // namespace braid
