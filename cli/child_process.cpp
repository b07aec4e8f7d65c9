#include "cli/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/signals.h"

namespace braid::cli {
namespace {

constexpr std::size_t kLongestLine = 64 << 20;

/// An open file that is closed at the end of its scope and not passed on to other programs.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {
    if (number < 0)
      raise(ErrorKind::Device,
            fmt::format("cannot start another process: {}", std::strerror(errno)));
  }
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

/// Becomes the program. Runs between fork() and exec(), where nothing may allocate or lock.
[[noreturn]] void become(char* const* command, int socket, int errors, int report, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it has ended in the meantime
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dup2(socket, STDIN_FILENO) >= 0 && dup2(socket, STDOUT_FILENO) >= 0 &&
      dup2(errors, STDERR_FILENO) >= 0)
    execvp(command[0], command);
  const int problem = errno;
  if (write(report, &problem, sizeof problem) < 0) _exit(1);
  _exit(1);
}

/// The number of the error that kept the program from running; 0: it runs.
int reported_problem(int report) {
  int problem = 0;
  ssize_t got = 0;
  do got = read(report, &problem, sizeof problem);
  while (got < 0 && errno == EINTR);
  return got == sizeof problem ? problem : 0;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command,
                           const std::filesystem::path& error_file) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const Descriptor errors(
      open(error_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
  std::array<int, 2> pair{-1, -1};
  Descriptor ours(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0 ? pair[0]
                                                                                       : -1);
  Descriptor theirs(pair[1]);
  Descriptor told(pipe2(pair.data(), O_CLOEXEC) == 0 ? pair[0] : -1);
  Descriptor telling(pair[1]);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(words.data(), theirs.number(), errors.number(), telling.number(), parent);
  if (pid_ < 0)
    raise(ErrorKind::Device, fmt::format("cannot start another process: {}", std::strerror(errno)));
  setpgid(pid_, pid_);  // whoever of the two comes first
  theirs.close();
  telling.close();
  if (const int problem = reported_problem(told.number()); problem != 0) {
    stop();
    raise(ErrorKind::Usage,
          fmt::format("{} cannot be started: {}", printable(command[0]), std::strerror(problem)));
  }
  socket_ = ours.release();
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      unread_(std::move(other.unread_)),
      ending_(std::move(other.ending_)) {}

ChildProcess::~ChildProcess() {
  stop();
  if (socket_ >= 0) close(socket_);
}

void ChildProcess::send(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t now = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno != EINTR) return;
    if (now > 0) sent += static_cast<std::size_t>(now);
  }
}

std::optional<std::string> ChildProcess::take_line() {
  const std::size_t end = unread_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

ChildProcess::Received ChildProcess::receive(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int kLookForInterrupts = 100;  // milliseconds
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(std::min(seconds, 1e9)));
  for (;;) {
    if (auto line = take_line()) return {Reply::Line, std::move(*line)};
    if (interrupted()) return {Reply::Interrupted};
    if (Clock::now() > deadline) return {Reply::Late};
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, kLookForInterrupts) <= 0) continue;
    std::array<char, 1 << 16> bytes{};
    const ssize_t got = recv(socket_, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || unread_.size() > kLongestLine) return {Reply::Ended};
    unread_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

std::string ChildProcess::how_it_ended() {
  // What has closed its output is about to end by itself.
  for (int tries = 0; tries < 20 && pid_ >= 0; ++tries) {
    siginfo_t found{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &found, WEXITED | WNOHANG | WNOWAIT) < 0 ||
        found.si_pid == pid_)
      break;
    usleep(5'000);
  }
  stop();
  return ending_;
}

void ChildProcess::stop() {
  if (pid_ < 0) return;
  kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  ending_ = WIFSIGNALED(status)
                ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                : fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace braid::cli
