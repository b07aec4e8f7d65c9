#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <braid/error.h>
#include <braid/export.h>
#include <braid/tensor.h>
#include <braid/value_info.h>

namespace braid {

struct SessionOptions {
  // What to run.

  /// Sizes of inputs, by name, and of symbolic dimensions. A model whose inputs all have fixed
  /// shapes needs none; what is left open is bound by the tensors of each run.
  std::map<std::string, Dims> shapes;
  std::map<std::string, std::int64_t> dims;
  /// Where weights in separate files may lie; empty: in the model's own folder, and no links.
  std::filesystem::path external_data_root;
  /// Limits on what a model may ask for, where they differ from the defaults, by the names of
  /// docs/security.md: {"memory_bytes", 4 << 30}.
  std::map<std::string, std::int64_t> quotas;
  /// Every value of the model becomes an output, under its own name.
  bool all_values = false;

  // How to run it.

  std::string device = "cpu";
  /// CPU cores to use; 0: all that affinity mask and control groups allow.
  int threads = 0;
  /// A Plan uses at most so many streams of the device, on a CPU cores: fewer than `threads` leave
  /// cores to other calls of run() that are under way, which `braid bench --streams 1,2 --rate R`
  /// compares. 0: as many as there are.
  int streams = 0;
  /// Threads tied to cores: "on", "off", or "auto": on if the process may use only some cores.
  std::string pin = "auto";
  /// "braid" runs operators side by side where that is faster by what is known of this machine,
  /// "sequential" one after another; `braid plan --help` lists them all.
  std::string scheduler = "braid";
  /// Lines that every Plan obeys, as docs/formats.md describes them: "pin conv1 stream 0".
  std::string edits;
  /// The arena, where intermediate values live, has at most this many bytes: the fastest Plan that
  /// is found to fit is taken, and an Error of kind Quota tells the least that would do if none
  /// fits. 0: no limit.
  std::int64_t arena_budget = 0;
  /// Before the first answer, measure on this machine what the scheduler wants to know and the
  /// profile cache lacks, and keep the Plan only if it is faster than one operator after another.
  bool measure = false;
  /// Measure again what the profile cache knows, and settle again which Plan is kept, for instance
  /// after a busy hour: whenever this Session makes a Plan. `measure` comes with it.
  bool remeasure = false;
  /// Run no operator in a way that saves operations at the price of digits (Winograd's 3x3
  /// convolutions and Strassen's products, which are off by up to 1e-4 of the largest element).
  /// Such ways are taken only where they were measured to be the fastest on this machine.
  bool exact = false;
  /// Fold constants, batch normalisation and so on before planning, but for `disabled_steps`.
  bool canonicalise = true;
  std::vector<std::string> disabled_steps;
  /// Rewrite the graph for the device before it is planned, by a search that tries other graphs
  /// with the same outputs up to rounding and keeps what is faster; if nothing is, the graph stays
  /// as it is. The search of each combination of shapes takes up to `optimise_seconds`, the first
  /// time: what was found is kept in the profile cache, and made again by the next Session that
  /// meets the same model on the same device. Edits cannot be obeyed meanwhile: the operators that
  /// they name may be replaced.
  bool optimise = false;
  double optimise_seconds = 60;
  /// Plans kept, one per combination of input shapes (and of elements that decide shapes); the
  /// least recently used is dropped. A combination without a Plan is planned before it is answered,
  /// which takes several times as long as an answer (with `measure`, seconds or more), and every
  /// Plan kept holds weights made ready and an arena of its own. Inputs that come in ever other
  /// sizes are better padded to a few; where that cannot be, and memory allows, keep more Plans.
  std::size_t max_plans = 8;

  /// A function that is told how far long work is (total 0: not known); returning false stops it
  /// with an Error of kind Cancelled.
  std::function<bool(std::string_view phase, std::int64_t done, std::int64_t total)> progress;
  /// A function that is told, in a sentence and once each, of what is not wrong but worth knowing:
  /// a model that is planned again and again, a profile cache that cannot be used, an output of
  /// another shape than the model declares. Called while a
  /// call of the Session is under way, by its thread. Empty: it goes to standard error.
  std::function<void(const std::string& warning)> warn;
};

/// A loaded model, ready to answer. Loading throws Error (bad model, unsupported operator, …); so
/// does run() for inputs that are missing, unknown or of another type. All functions may be called
/// from several threads at once; as many runs as there are threads go on at the same time, others
/// wait for their turn. The destructor waits for the calls under way; none may begin any more.
///
/// While a thread is in run(), signals to it wait, except those that report a fault: the thread
/// works on the model itself and must not be interrupted inside a kernel. They are delivered
/// between two operators if a run takes longer than 10 ms, else at its end.
class BRAID_API Session {
 public:
  explicit Session(const std::filesystem::path& model, SessionOptions options = {});
  /// May be called only while no other call is under way.
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const std::vector<ValueInfo>& inputs() const;
  /// The names of the outputs, in the order in which run() gives them.
  const std::vector<std::string>& outputs() const;

  /// One inference: inputs by name, outputs in the model's order. Input tensors are read where they
  /// lie.
  std::vector<std::pair<std::string, Tensor>> run(const std::map<std::string, Tensor>& inputs);

  /// Inputs whose elements, not only their shapes, decide the shapes of other values, as far as
  /// runs have shown. A Plan holds for one choice of their elements; another choice is planned
  /// again (see max_plans).
  std::vector<std::string> inputs_that_decide_shapes() const;

  /// The Plan that run() would follow for these inputs' shapes, as JSON.
  std::string plan_json(const std::map<std::string, Tensor>& inputs);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace braid
