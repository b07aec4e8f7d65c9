#include <braid/session.h>

#include "devices/open.h"
#include "pipeline/served_model.h"

namespace braid {

struct Session::State : ServedModel {
  using ServedModel::ServedModel;
};

Session::Session(const std::filesystem::path& model, SessionOptions options) {
  auto device =
      open_device(options.device, {.threads = options.threads, .pin = pin_named(options.pin)});
  state_ = std::make_unique<State>(model, std::move(options), std::move(device));
}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const std::vector<ValueInfo>& Session::inputs() const { return state_->inputs(); }
const std::vector<std::string>& Session::outputs() const { return state_->outputs(); }

std::vector<std::pair<std::string, Tensor>> Session::run(const NamedInputs& inputs) {
  return state_->run(inputs);
}

std::string Session::plan_json(const NamedInputs& inputs) { return state_->plan_json(inputs); }

std::vector<std::string> Session::inputs_that_decide_shapes() const {
  return state_->inputs_that_decide_shapes();
}

}  // namespace braid
