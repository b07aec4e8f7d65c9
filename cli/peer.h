#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <braid/tensor.h>

#include "cli/child_process.h"
#include "cli/option_set.h"
#include "cli/turn_samples.h"

namespace braid::cli {

/// Which other runtimes are asked, and how.
struct PeerOptions {
  std::vector<std::string> against;  ///< their names
  std::string python;                ///< empty: $BRAID_PYTHON, or else python3 of the path
  double timeout_s = 120;            ///< of an answer
};

void add_peer_options(OptionSet& add, PeerOptions& options);
/// The names in `against`. Throws Usage if there is no such peer.
std::vector<std::string> chosen_peers(const PeerOptions& options);

/// What a peer is to run.
struct PeerTask {
  std::filesystem::path model;
  std::filesystem::path inputs;  ///< .npz
  std::map<std::string, std::int64_t> symbols = {};
  int threads = 1;
  int callers = 1;
};

/// Another runtime in a process of its own (peers/worker.py), on the cores of the thread that
/// starts it. All functions throw Unsupported if it fails, whatever the reason: the message says
/// what to do, and the peer is of no more use. They throw Cancelled if the user interrupts us.
class Peer {
 public:
  /// Starts Python and imports the runtime; `folder` is for files of the process.
  Peer(std::string name, const PeerOptions& options, std::filesystem::path folder);

  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }

  /// Loads the model and runs it once.
  void load(const PeerTask& task);
  /// The outputs of the last run of one caller, in the order of the model.
  std::vector<Tensor> outputs();
  TurnSamples run();
  TurnSamples run_callers(int callers, double seconds);

 private:
  struct Answer;
  Answer receive(const std::string& during, double extra_seconds = 0);
  Answer ask(const std::string& command, const std::string& during, double extra_seconds = 0);
  [[noreturn]] void fail(const std::string& what) const;
  std::string last_words() const;

  std::string name_;
  std::filesystem::path folder_;
  double timeout_s_;
  ChildProcess process_;
  std::string python_;
  std::string version_;
};

}  // namespace braid::cli
