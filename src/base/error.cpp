#include "base/error.h"

namespace braid {

std::string_view name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Internal:
      return "internal error";
    case ErrorKind::Usage:
      return "usage error";
    case ErrorKind::Model:
      return "bad model or input";
    case ErrorKind::Unsupported:
      return "unsupported";
    case ErrorKind::Mismatch:
      return "mismatch";
    case ErrorKind::Quota:
      return "quota exceeded";
    case ErrorKind::Device:
      return "device error";
    case ErrorKind::Output:
      return "not written";
    case ErrorKind::Cancelled:
      return "cancelled";
  }
  return "error";
}

int exit_code(ErrorKind kind) { return static_cast<int>(kind); }

Error::Error(ErrorKind kind, std::string message, std::source_location where)
    : kind_(kind), message_(std::move(message)), text_(message_), where_(where) {}

void Error::add_note(std::string note) {
  text_ += "\n  " + note;
  notes_.push_back(std::move(note));
}

void raise(ErrorKind kind, std::string message, std::source_location where) {
  throw Error(kind, std::move(message), where);
}

}  // namespace braid
