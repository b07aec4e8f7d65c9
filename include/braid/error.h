#pragma once

#include <exception>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include <braid/export.h>

namespace braid {

/// Why something could not be done. The numbers are the exit codes of the command line.
enum class ErrorKind {
  Internal = 1,     ///< a bug in Braid
  Usage = 2,        ///< the caller asked for something that does not exist
  Model = 3,        ///< a bad model, plan or input
  Unsupported = 4,  ///< valid, but Braid cannot do it
  Mismatch = 5,     ///< a comparison failed
  Quota = 6,        ///< a limit or the memory was exceeded
  Device = 7,       ///< a device or its library failed
  Output = 9,       ///< what was made could not be written: a full disk
  Cancelled = 130,  ///< the user stopped it
};

BRAID_API std::string_view name(ErrorKind kind);
BRAID_API int exit_code(ErrorKind kind);

/// The one exception that Braid throws. The message tells what went wrong; notes, added on the way
/// up, tell where ("while inferring shapes of 'conv_3' (Conv)"), innermost first.
class BRAID_API Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message,
        std::source_location where = std::source_location::current());

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// The line of Braid that raised the error, for bug reports.
  const std::source_location& where() const { return where_; }

  void add_note(std::string note);

  /// The message, then each note on a line of its own.
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
  std::vector<std::string> notes_;
  std::string text_;
  std::source_location where_;
};

}  // namespace braid
