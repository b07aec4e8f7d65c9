#pragma once

#include <string>
#include <vector>

#include "cli/model_argument.h"
#include "cli/output_differences.h"
#include "cli/peer.h"
#include "cli/peer_failure.h"
#include "cli/temporary_folder.h"

namespace braid::cli {

/// Ties this thread, and all threads and processes that it starts from now on, to so many of the
/// cores that it may use; nothing changes if there are no more than that.
void keep_to_cores(int count);

/// The peers of one model. What fails is left out and noted in `failures`.
class PeerContest {
 public:
  /// Starts them. Throws Unsupported with all reasons if none can be imported.
  PeerContest(const PeerOptions& options, std::string model, std::vector<PeerFailure>& failures);

  /// Lets each load the model, with these inputs.
  void load(const ModelArgument& argument, const Graph& graph,
            const std::vector<NamedTensor>& inputs, int threads, int callers);
  /// What they answered to the inputs. The files that they shared with us are gone afterwards.
  std::vector<ContenderOutputs> outputs();

  std::vector<Peer>& peers() { return peers_; }
  void give_up(const std::string& peer, const std::string& message);

 private:
  template <class Body>
  void with_each(Body body);

  std::vector<PeerFailure>& failures_;
  std::string model_;
  TemporaryFolder folder_;
  std::vector<Peer> peers_;
};

}  // namespace braid::cli
