#pragma once

#include <string>
#include <utility>

#include <braid/error.h>

namespace braid {

/// Throws an Error. The formatting happens at the call: `raise(ErrorKind::Model,
/// fmt::format(...))`.
[[noreturn]] void raise(ErrorKind kind, std::string message,
                        std::source_location where = std::source_location::current());

/// Throws Internal unless the condition holds: if it does not, Braid has a bug.
inline void require(bool holds, const char* what,
                    std::source_location where = std::source_location::current()) {
  if (!holds) raise(ErrorKind::Internal, what, where);
}

/// Runs `body`; an Error that leaves it carries the note that `note()` returns.
template <class Note, class Body>
decltype(auto) with_note(Note&& note, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (Error& error) {
    error.add_note(note());
    throw;
  }
}

}  // namespace braid
