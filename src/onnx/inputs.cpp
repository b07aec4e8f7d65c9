#include "onnx/inputs.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"
#include "onnx/element_types.h"
#include "onnx/tensor_reader.h"

namespace braid::onnx {
namespace {

using Shape = proto::TensorShapeProto;

/// The name of a dimension that has no size: "batch", "?" if it has no name either, none if it has
/// a size.
std::string symbol_of(const Shape::Dimension& dimension) {
  if (dimension.has_dim_value() && dimension.dim_value() >= 0) return {};
  const std::string_view symbol = symbol_in(dimension);
  return symbol.empty() ? "?" : std::string(symbol);
}

std::string shape_text(const Shape& shape) {
  std::vector<std::string> dims;
  for (const auto& d : shape.dim())
    dims.push_back(symbol_of(d).empty() ? fmt::format("{}", d.dim_value())
                                        : printable(symbol_of(d)));
  return fmt::format("[{}]", fmt::join(dims, ","));
}

/// A size that a dimension could well have, for hints: one image, of 224 pixels a side, or 128
/// tokens.
std::int64_t plausible_size(const Shape& shape, int axis) {
  const std::string symbol = lower_case(symbol_in(shape.dim(axis)));
  const auto mentions = [&](std::string_view part) { return symbol.find(part) != symbol.npos; };
  if (axis == 0 || mentions("batch")) return 1;
  if (mentions("seq") || mentions("len") || mentions("token")) return 128;
  if (shape.dim_size() == 4) return axis == 1 ? 3 : 224;
  return shape.dim_size() == 2 || shape.dim_size() == 3 ? 128 : 1;
}

/// "x:1x3x224x224", with plausible sizes for what is open.
std::string shapes_flag(std::string_view input, const Shape& shape) {
  std::vector<std::int64_t> dims;
  for (int i = 0; i < shape.dim_size(); ++i)
    dims.push_back(symbol_of(shape.dim(i)).empty() ? shape.dim(i).dim_value()
                                                   : plausible_size(shape, i));
  return fmt::format("--shapes {}:{}", printable(input), fmt::join(dims, "x"));
}

class Binder {
 public:
  explicit Binder(const LoadOptions& options) : options_(options) {}

  void add(const proto::ValueInfoProto& info) {
    const std::string what = "input " + quote(info.name());
    if (!info.type().has_tensor_type())
      raise(info.has_type() && info.type().value_case() != 0 ? ErrorKind::Unsupported
                                                             : ErrorKind::Model,
            fmt::format("{} is not declared as a tensor", what));
    require_element(info.type().tensor_type().elem_type(), what);
    infos_.push_back(&info);
    for (const auto& d : info.type().tensor_type().shape().dim())
      if (!symbol_in(d).empty()) known_symbols_.insert(symbol_in(d));
  }

  std::vector<ModelInput> bind() {
    check_names();
    for (const auto& [symbol, size] : options_.dims) bind_dim(symbol, size);
    if (options_.batch > 0)
      for (const auto* info : infos_) bind_batch(*info);
    for (const auto* info : infos_)
      if (const Dims* given = given_shape(info->name())) bind_shape(*info, *given);
    std::vector<ModelInput> inputs;
    for (const auto* info : infos_) inputs.push_back(resolve(*info));
    return inputs;
  }

 private:
  void check_names() const {
    std::unordered_set<std::string_view> names;
    for (const auto* info : infos_) names.insert(info->name());
    for (const auto& [name, shape] : options_.shapes)
      if (!names.contains(name)) no_such_input(name);
    for (const auto& [name, tensor] : options_.fixed_inputs)
      if (!names.contains(name)) no_such_input(name);
  }

  [[noreturn]] void no_such_input(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto* info : infos_)
      if (names.size() < 10) names.push_back(quote(info->name()));
    raise(ErrorKind::Usage, fmt::format("the model has no input {}; its inputs are {}", quote(name),
                                        fmt::join(names, ", ")));
  }

  const Dims* given_shape(const std::string& name) const {
    const auto fixed = options_.fixed_inputs.find(name);
    if (fixed != options_.fixed_inputs.end()) return &fixed->second.dims();
    const auto shape = options_.shapes.find(name);
    return shape == options_.shapes.end() ? nullptr : &shape->second;
  }

  void bind_dim(const std::string& symbol, std::int64_t size) {
    if (!known_symbols_.contains(symbol)) {
      std::vector<std::string> names;
      for (const auto name : known_symbols_)
        if (names.size() < 10) names.push_back(quote(name));
      raise(ErrorKind::Usage,
            fmt::format("no input has a dimension {}; those without a size are: {}", quote(symbol),
                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    bind_symbol(symbol, size, fmt::format("name ({}={})", printable(symbol), size));
  }

  void bind_batch(const proto::ValueInfoProto& info) {
    const Shape& shape = info.type().tensor_type().shape();
    if (shape.dim_size() == 0) return;
    const std::string source = fmt::format("the batch of {}", options_.batch);
    if (symbol_of(shape.dim(0)).empty() && shape.dim(0).dim_value() != options_.batch)
      raise(ErrorKind::Usage,
            fmt::format("the first dimension of the input {} is {} in the model, so {} needs a "
                        "model that leaves it open",
                        quote(info.name()), shape.dim(0).dim_value(), source));
    if (!symbol_in(shape.dim(0)).empty())
      bind_symbol(shape.dim(0).dim_param(), options_.batch, source);
    const Dims* given = given_shape(info.name());
    if (given != nullptr && !given->empty() && given->front() != options_.batch)
      raise(ErrorKind::Usage, fmt::format("{} contradicts the shape {} given for input {}", source,
                                          to_string(*given), quote(info.name())));
  }

  void bind_symbol(const std::string& symbol, std::int64_t size, const std::string& source) {
    if (size < 0)
      raise(ErrorKind::Usage,
            fmt::format("dimension {} cannot have the size {}", quote(symbol), size));
    const auto [at, fresh] = sizes_.try_emplace(symbol, Size{size, source});
    if (!fresh && at->second.size != size)
      raise(ErrorKind::Usage,
            fmt::format("dimension {} is bound to two sizes: {} by {}, {} by {}", quote(symbol),
                        at->second.size, at->second.source, size, source));
  }

  void bind_shape(const proto::ValueInfoProto& info, const Dims& given) {
    const auto& tensor = info.type().tensor_type();
    if (!tensor.has_shape()) return;
    const std::string source =
        fmt::format("the shape {} given for input {}", to_string(given), quote(info.name()));
    if (tensor.shape().dim_size() != static_cast<int>(given.size()))
      raise(ErrorKind::Usage, fmt::format("{} does not fit the model, which has {}", source,
                                          shape_text(tensor.shape())));
    for (int i = 0; i < tensor.shape().dim_size(); ++i) {
      const auto& d = tensor.shape().dim(i);
      const std::int64_t size = given[static_cast<std::size_t>(i)];
      if (symbol_of(d).empty() && d.dim_value() != size)
        raise(ErrorKind::Usage, fmt::format("{} does not fit the model, which has {}", source,
                                            shape_text(tensor.shape())));
      if (!symbol_in(d).empty()) bind_symbol(d.dim_param(), size, source);
    }
  }

  ModelInput resolve(const proto::ValueInfoProto& info) const {
    const std::string what = "input " + quote(info.name());
    const auto& tensor = info.type().tensor_type();
    ModelInput input;
    input.name = info.name();
    input.type.element = require_element(tensor.elem_type(), what);
    if (const Dims* given = given_shape(info.name()))
      input.type.dims = *given;
    else
      input.type.dims = bound_dims(info, tensor);
    check_dims(input.type.dims, options_.quotas, what);
    const auto fixed = options_.fixed_inputs.find(info.name());
    if (fixed == options_.fixed_inputs.end()) return input;
    input.fixed = fixed->second;
    if (input.fixed.type() != input.type)
      raise(ErrorKind::Usage, fmt::format("{} is {}, but was given elements of type {}", what,
                                          to_string(input.type), to_string(input.fixed.type())));
    return input;
  }

  Dims bound_dims(const proto::ValueInfoProto& info, const proto::TypeProto::Tensor& tensor) const {
    if (!tensor.has_shape())
      throw OpenDimension(
          fmt::format("input {} has no shape in the model; give it one: --shapes {}:1x3x224x224",
                      quote(info.name()), printable(info.name())));
    Dims dims;
    for (const auto& d : tensor.shape().dim()) {
      const std::string symbol = symbol_of(d);
      if (dims.empty() && options_.batch > 0) {
        dims.push_back(options_.batch);
        continue;
      }
      const auto found = sizes_.find(symbol);
      if (!symbol.empty() && found == sizes_.end())
        throw OpenDimension(unbound(info.name(), tensor.shape()));
      dims.push_back(symbol.empty() ? d.dim_value() : found->second.size);
    }
    return dims;
  }

  /// What to type so that nothing stays open: a --dim for every symbol, or --shapes.
  std::string unbound(const std::string& input, const Shape& shape) const {
    std::vector<std::string> flags;
    bool has_unknown = false;
    for (int i = 0; i < shape.dim_size(); ++i) {
      const std::string symbol(symbol_in(shape.dim(i)));
      if (i == 0 && options_.batch > 0) continue;
      has_unknown = has_unknown || symbol_of(shape.dim(i)) == "?";
      if (symbol_of(shape.dim(i)).empty() || symbol.empty() || sizes_.contains(symbol)) continue;
      flags.push_back(fmt::format("--dim {}={}", printable(symbol), plausible_size(shape, i)));
      if (std::ranges::count(flags, flags.back()) > 1) flags.pop_back();
    }
    const std::string shapes = shapes_flag(input, shape);
    const std::string way = has_unknown || flags.empty()
                                ? shapes
                                : fmt::format("{} or {}", fmt::join(flags, " "), shapes);
    return fmt::format("input {} has the shape {} in the model; give what is open a size: {}",
                       quote(input), shape_text(shape), way);
  }

  struct Size {
    std::int64_t size;
    std::string source;
  };

  const LoadOptions& options_;
  std::vector<const proto::ValueInfoProto*> infos_;
  std::set<std::string_view> known_symbols_;
  std::map<std::string, Size> sizes_;
};

}  // namespace

std::string_view symbol_in(const proto::TensorShapeProto::Dimension& dimension) {
  const std::string_view name = dimension.dim_param();
  for (const std::string_view unknown : {"?", "-1", "None"})
    if (name == unknown) return {};
  return name;
}

ValueInfo describe_input(const proto::ValueInfoProto& input, const LoadOptions& options) {
  ValueInfo info;
  info.name = input.name();
  if (input.type().value_case() != proto::TypeProto::VALUE_NOT_SET &&
      !input.type().has_tensor_type())
    raise(ErrorKind::Unsupported,
          fmt::format("input {} is not a tensor; sequences, maps and optionals are not supported",
                      quote(info.name)));
  const auto& tensor = input.type().tensor_type();
  info.element = require_element(tensor.elem_type(), "input " + quote(info.name));
  const auto given = options.shapes.find(info.name);
  const auto& dims = tensor.shape().dim();
  for (int i = 0; i < dims.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool sized = dims[i].has_dim_value() && dims[i].dim_value() >= 0;
    const std::string symbol(symbol_in(dims[i]));
    const auto bound = symbol.empty() ? options.dims.end() : options.dims.find(symbol);
    std::int64_t size = sized ? dims[i].dim_value() : -1;
    if (size < 0 && bound != options.dims.end()) size = bound->second;
    if (size < 0 && i == 0 && options.batch > 0) size = options.batch;
    if (size < 0 && given != options.shapes.end() && at < given->second.size())
      size = given->second[at];
    info.dims.push_back(size);
    info.symbols.push_back(size < 0 ? symbol : std::string());
  }
  info.shaped = tensor.has_shape() || given != options.shapes.end();
  if (!tensor.has_shape() && info.shaped) {
    info.dims = given->second;
    info.symbols.resize(info.dims.size());
  }
  return info;
}

std::vector<ModelInput> bind_inputs(const proto::GraphProto& graph,
                                    const std::unordered_set<std::string_view>& initialisers,
                                    const LoadOptions& options) {
  Binder binder(options);
  for (const auto& info : graph.input())
    if (!initialisers.contains(info.name()) || options.fixed_inputs.contains(info.name()))
      binder.add(info);
  return binder.bind();
}

}  // namespace braid::onnx
