#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace braid::cli {

/// A program that we started and talk with line by line over its standard input and output. It has
/// no life of its own: the destructor ends it and what it started, and so does the system if we are
/// killed. Ctrl-C on the terminal reaches us only. Start it on a thread that outlives it.
class ChildProcess {
 public:
  /// Its standard error goes to `error_file`. Throws Usage if there is no such program or it cannot
  /// be run; the message says why.
  ChildProcess(const std::vector<std::string>& command, const std::filesystem::path& error_file);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  /// Lost if the process has ended, which receive() tells.
  void send(const std::string& line);

  enum class Reply { Line, Ended, Late, Interrupted };
  struct Received {
    Reply reply;
    std::string line = {};
  };
  /// The next line that it prints, unless it ends, does not print one within so many seconds, or
  /// the user interrupts us.
  Received receive(double seconds);

  /// Once receive() has told that it ended: "exit code 3", "signal 11 (Segmentation fault)".
  std::string how_it_ended();
  void stop();

 private:
  std::optional<std::string> take_line();

  pid_t pid_ = -1;
  int socket_ = -1;
  std::string unread_;
  std::string ending_;
};

}  // namespace braid::cli
