#include "cli/peer.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/data_folder.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"
#include "tensor/npy.h"

namespace braid::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPeerFile = "_peer.py";

fs::path peers_folder() { return data_folder("peers", BRAID_PEERS_SOURCE_FOLDER); }

std::vector<std::string> known_peers() {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(peers_folder(), failed))
    if (const std::string file = entry.path().filename(); file.ends_with(kPeerFile))
      names.push_back(file.substr(0, file.size() - kPeerFile.size()));
  std::ranges::sort(names);
  return names;
}

std::string python_of(const PeerOptions& options) {
  if (!options.python.empty()) return options.python;
  const char* named = std::getenv("BRAID_PYTHON");
  return named != nullptr && *named != '\0' ? named : "python3";
}

ChildProcess start_worker(const std::string& name, const PeerOptions& options,
                          const fs::path& folder) {
  const std::string python = python_of(options);
  try {
    // -B: the folder of an installed tool is not ours to write to.
    return {{python, "-B", peers_folder() / "worker.py", name}, folder / (name + ".log")};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Usage) throw;
    raise(ErrorKind::Unsupported,
          fmt::format("{} needs Python: {}; install Python 3, or name an interpreter with --python "
                      "or BRAID_PYTHON",
                      name, error.message()));
  }
}

/// A message of another program on one line, and not too long.
std::string shortened(std::string text) {
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' '; }, ' ');
  constexpr std::size_t kLongest = 400;
  return printable(text.substr(std::min(text.find_first_not_of(' '), text.size())), kLongest);
}

}  // namespace

void add_peer_options(OptionSet& add, PeerOptions& options) {
  add.list("--against", options.against,
           "Other runtimes to measure beside Braid, on the same cores and inputs: onnxruntime, "
           "openvino, or both",
           ListOf::Names, "NAME");
  add.text("--python", options.python,
           "Interpreter that can import them; default: the environment variable BRAID_PYTHON, or "
           "python3",
           "PROGRAM");
  add.real("--peer-timeout", options.timeout_s,
           "Give a runtime up that does not answer within so many seconds");
}

std::vector<std::string> chosen_peers(const PeerOptions& options) {
  const std::vector<std::string> known = known_peers();
  std::vector<std::string> names;
  for (const std::string& name : options.against) {
    if (std::ranges::find(known, name) == known.end())
      raise(ErrorKind::Usage, fmt::format("--against knows no {}; it knows: {}{}", quote(name),
                                          fmt::join(known, ", "), did_you_mean(name, known)));
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

struct Peer::Answer {
  nlohmann::json json;

  double seconds() const { return json.value("seconds", 0.0); }
};

Peer::Peer(std::string name, const PeerOptions& options, fs::path folder)
    : name_(std::move(name)),
      folder_(std::move(folder)),
      timeout_s_(options.timeout_s),
      process_(start_worker(name_, options, folder_)) {
  python_ = receive("starting").json.value("python", python_of(options));
  version_ = ask("import", "being imported").json.value("version", "");
}

void Peer::load(const PeerTask& task) {
  ask("inputs " + task.inputs.string(), "reading the inputs");
  const nlohmann::json setting = {{"model", task.model.string()},
                                  {"threads", task.threads},
                                  {"callers", task.callers},
                                  {"symbols", task.symbols}};
  ask("load " + setting.dump(), "loading the model");
}

std::vector<Tensor> Peer::outputs() {
  const fs::path file = folder_ / (name_ + ".outputs.npz");
  ask("outputs " + file.string(), "giving its outputs");
  std::vector<Tensor> tensors;
  for (auto& [number, tensor] : read_npz(file)) tensors.push_back(std::move(tensor));
  return tensors;
}

TurnSamples Peer::run() {
  const double seconds = ask("run", "running").seconds();
  return {{seconds * 1e3}, seconds};
}

TurnSamples Peer::run_callers(int callers, double seconds) {
  const Answer answer =
      ask(fmt::format("callers {} {}", callers, seconds), "running for several callers", seconds);
  TurnSamples samples{{}, answer.seconds()};
  for (const auto& time : answer.json.value("times", std::vector<double>()))
    samples.times_ms.push_back(time * 1e3);
  if (samples.times_ms.empty()) fail("ran for several callers and finished nothing");
  return samples;
}

Peer::Answer Peer::ask(const std::string& command, const std::string& during,
                       double extra_seconds) {
  process_.send(command);
  return receive(during, extra_seconds);
}

Peer::Answer Peer::receive(const std::string& during, double extra_seconds) {
  using Reply = ChildProcess::Reply;
  Answer answer;
  // What else Python prints when it starts is no answer.
  while (!answer.json.is_object()) {
    const ChildProcess::Received received = process_.receive(timeout_s_ + extra_seconds);
    if (received.reply == Reply::Interrupted) raise(ErrorKind::Cancelled, "stopped");
    if (received.reply == Reply::Ended)
      fail(fmt::format("ended while {} ({}){}", during, process_.how_it_ended(), last_words()));
    if (received.reply == Reply::Late) {
      process_.stop();
      fail(
          fmt::format("did not answer within {:g} s while {} and was stopped; --peer-timeout "
                      "SECONDS allows it more",
                      timeout_s_ + extra_seconds, during));
    }
    answer.json = nlohmann::json::parse(received.line, nullptr, false);
  }
  if (const auto missing = answer.json.find("missing"); missing != answer.json.end())
    fail(
        fmt::format("is not importable by {}: {}; `{} -m pip install {}` installs it, --python or "
                    "BRAID_PYTHON names an interpreter that has it",
                    printable(python_), shortened(answer.json.value("error", "")),
                    printable(python_.substr(0, python_.find(" ("))), name_));
  if (const auto error = answer.json.find("error"); error != answer.json.end())
    fail(fmt::format("failed while {}: {}", during,
                     shortened(error->is_string() ? error->get<std::string>() : error->dump())));
  return answer;
}

std::string Peer::last_words() const {
  std::ifstream log(folder_ / (name_ + ".log"));
  std::string last;
  for (std::string line; std::getline(log, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  return last.empty() ? "" : ": " + shortened(last);
}

void Peer::fail(const std::string& what) const {
  raise(ErrorKind::Unsupported, fmt::format("{} {}", name_, what));
}

}  // namespace braid::cli
