#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <braid/session.h>

#include "base/each_once.h"
#include "base/hash.h"
#include "base/in_flight.h"
#include "device/device.h"
#include "onnx/interface.h"
#include "pipeline/bind.h"
#include "pipeline/stages.h"

namespace braid {

/// What a Session is, on a device that is given: a model file and a Plan for each combination of
/// shapes that it was asked for. See Session for what its functions promise.
class ServedModel {
 public:
  ServedModel(std::filesystem::path path, SessionOptions options, std::unique_ptr<Device> device);

  const std::vector<ValueInfo>& inputs() const { return interface_.inputs; }
  const std::vector<std::string>& outputs() const { return interface_.outputs; }
  std::vector<std::pair<std::string, Tensor>> run(const NamedInputs& inputs);
  std::string plan_json(const NamedInputs& inputs);
  std::vector<std::string> inputs_that_decide_shapes() const;

 private:
  /// What a Plan was made for: the dimensions of the inputs, and the elements of those that decide
  /// shapes.
  struct Key {
    std::map<std::string, Dims> dims;
    std::map<std::string, Hash128> values;

    bool operator==(const Key&) const = default;
  };
  struct Entry {
    Key key;
    std::shared_ptr<const Runnable> model;
  };

  Quotas quotas() const;
  onnx::LoadOptions load_options() const;
  PipelineOptions pipeline_options() const;
  bool has_open_dimensions() const;
  void check_names(const NamedInputs& inputs) const;
  Key key_of(const NamedInputs& inputs) const;
  std::shared_ptr<const Runnable> runnable_for(const NamedInputs& inputs);
  std::shared_ptr<const Runnable> keep(BoundModel bound, const NamedInputs& inputs);
  void drop_oldest();

  std::filesystem::path path_;
  SessionOptions options_;
  Warn warn_;
  std::unique_ptr<Device> device_;
  onnx::Interface interface_;
  mutable std::mutex mutex_;
  std::set<std::string> deciding_;  // inputs whose elements decide shapes, as far as is known
  std::list<Entry> plans_;          // the most recently used first
  std::size_t dropped_ = 0;         // Plans
  mutable InFlight in_flight_;      // the last member: the others stay until no call is under way
};

}  // namespace braid
