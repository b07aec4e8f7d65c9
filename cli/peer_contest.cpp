#include "cli/peer_contest.h"

#include <sched.h>

#include "base/error.h"
#include "onnx/interface.h"
#include "onnx/save.h"

namespace braid::cli {
namespace {

/// The sizes that the inputs give the dimensions which the model leaves open, by their names.
std::map<std::string, std::int64_t> symbol_sizes(const std::string& model,
                                                 const std::vector<NamedTensor>& inputs) {
  std::map<std::string, std::int64_t> sizes;
  for (const ValueInfo& info : onnx::read_interface(model).inputs)
    for (const auto& [name, tensor] : inputs)
      if (name == info.name && tensor.dims().size() == info.symbols.size())
        for (std::size_t i = 0; i < info.symbols.size(); ++i)
          if (!info.symbols[i].empty()) sizes.emplace(info.symbols[i], tensor.dims()[i]);
  return sizes;
}

}  // namespace

void keep_to_cores(int count) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set) && --count < 0) CPU_CLR(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

PeerContest::PeerContest(const PeerOptions& options, std::string model,
                         std::vector<PeerFailure>& failures)
    : failures_(failures), model_(std::move(model)) {
  std::vector<std::string> reasons;
  for (const std::string& name : chosen_peers(options)) {
    try {
      peers_.emplace_back(name, options, folder_.path());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::Unsupported) throw;
      reasons.push_back(error.message());
      give_up(name, error.message());
    }
  }
  if (!peers_.empty()) return;
  Error none(ErrorKind::Unsupported, reasons.at(0));
  for (std::size_t i = 1; i < reasons.size(); ++i) none.add_note(reasons[i]);
  throw none;
}

void PeerContest::give_up(const std::string& peer, const std::string& message) {
  failures_.push_back({model_, peer, message});
}

template <class Body>
void PeerContest::with_each(Body body) {
  std::vector<Peer> kept;
  for (Peer& peer : peers_) {
    try {
      body(peer);
      kept.push_back(std::move(peer));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::Cancelled) throw;
      give_up(peer.name(), error.message());
    }
  }
  peers_ = std::move(kept);
}

void PeerContest::load(const ModelArgument& argument, const Graph& graph,
                       const std::vector<NamedTensor>& inputs, int threads, int callers) {
  PeerTask task{.model = argument.model,
                .inputs = folder_.path() / "inputs.npz",
                .threads = threads,
                .callers = callers};
  write_npz(task.inputs, inputs);
  if (is_from_zoo(argument)) {
    task.model = folder_.path() / "model.onnx";
    onnx::save(graph, task.model);
  } else {
    task.symbols = symbol_sizes(argument.model, inputs);
  }
  with_each([&](Peer& peer) { peer.load(task); });
}

std::vector<ContenderOutputs> PeerContest::outputs() {
  std::vector<ContenderOutputs> all;
  with_each([&](Peer& peer) { all.push_back({peer.name(), peer.outputs()}); });
  // A process that is killed leaves the logs only.
  for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
    if (file.path().extension() != ".log") std::filesystem::remove(file.path());
  return all;
}

}  // namespace braid::cli
