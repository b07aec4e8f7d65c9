#include "zoo/zoo.h"

#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"
#include "zoo/layers.h"
#include "zoo/networks.h"

namespace braid::zoo {
namespace {

/// Height and width; beyond it the elements of one image are too many to count.
constexpr std::int64_t kLargestImage = 1 << 20;

std::vector<ZooInput> image(std::int64_t size) {
  return {{"image", {ElementType::F32, {1, 3, size, size}}}};
}

std::vector<ZooInput> tokens(std::int64_t length) {
  return {{"input_ids", {ElementType::I64, {1, length}}},
          {"attention_mask", {ElementType::Bool, {1, length}}}};
}

std::vector<ZooInput> typed_tokens(std::int64_t length) {
  std::vector<ZooInput> inputs = tokens(length);
  inputs.push_back({"token_type_ids", {ElementType::I64, {1, length}}});
  return inputs;
}

std::vector<ZooInput> sequence(int steps, std::int64_t width) {
  std::vector<ZooInput> inputs;
  inputs.reserve(static_cast<std::size_t>(steps) + 1);
  for (int t = 0; t < steps; ++t)
    inputs.push_back({fmt::format("x_{}", t), {ElementType::F32, {1, width}}});
  inputs.push_back({"state", {ElementType::F32, {1, width}}});
  return inputs;
}

std::vector<ZooInput> fields_and_numbers(int fields, std::int64_t numbers) {
  std::vector<ZooInput> inputs;
  inputs.reserve(static_cast<std::size_t>(fields) + 1);
  for (int i = 0; i < fields; ++i)
    inputs.push_back({fmt::format("field_{}", i), {ElementType::I64, {1, 1}}});
  inputs.push_back({"numbers", {ElementType::F32, {1, numbers}}});
  return inputs;
}

/// The name in lower case, letters and digits only.
std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

ZooModel find(std::string_view name) {
  std::vector<ZooModel> candidates;
  std::vector<std::string> names;
  for (ZooModel& model : models()) {
    names.emplace_back(model.name);
    if (plain(model.name) == plain(name)) return model;
    if (!plain(name).empty() && plain(model.name).starts_with(plain(name)))
      candidates.push_back(std::move(model));
  }
  if (candidates.size() != 1)
    raise(ErrorKind::Usage,
          fmt::format("there is no benchmark model {}; there are {}{}", quote(name),
                      fmt::join(names, ", "), did_you_mean(name, names)));
  return candidates[0];
}

bool reads_image(const ZooModel& model) {
  return model.inputs.size() == 1 && model.inputs[0].type.dims.size() == 4;
}

std::int64_t own_size(const ZooModel& model) { return model.inputs[0].type.dims[2]; }

/// Moves the size of "inception-v3@224" into the options, and leaves the name.
std::string_view take_image_size(std::string_view name, ZooOptions& options) {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return name;
  const std::string_view text = name.substr(at + 1);
  std::int64_t size = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (problem != std::errc() || end != text.data() + text.size() || size < 1 ||
      size > kLargestImage)
    raise(ErrorKind::Usage,
          fmt::format("{} in {} is not an image size: it is a number from 1 to {}, as in {}@224",
                      quote(text), quote(name), kLargestImage, printable(name.substr(0, at))));
  if (options.image_size != 0 && options.image_size != size)
    raise(ErrorKind::Usage,
          fmt::format("{} is given the image size {} besides", quote(name), options.image_size));
  options.image_size = size;
  return name.substr(0, at);
}

Graph assemble(const ZooModel& model, const ZooOptions& options) {
  Graph graph;
  graph.name = model.name;
  graph.opset = 17;
  for (const ZooInput& input : inputs_of(model, options)) graph.add_input(input.name, input.type);
  Layers net(graph, options.seed);
  model.network(net);
  return graph;
}

/// Nothing if the image is smaller than the model's own, and so small that a window of the network
/// is larger than what it slides over.
std::optional<Graph> assemble_if_it_fits(const ZooModel& model, const ZooOptions& options) {
  const bool is_small =
      options.image_size > 0 && reads_image(model) && options.image_size < own_size(model);
  try {
    return assemble(model, options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::Model || !is_small) throw;
    return std::nullopt;
  }
}

/// The smallest size above `too_small` that fits. Steps double until one fits and halve from there:
/// whatever is larger than an image that fits, fits.
std::int64_t smallest_size(const ZooModel& model, std::int64_t too_small) {
  const auto fits = [&](std::int64_t size) {
    return assemble_if_it_fits(model, {.image_size = size}).has_value();
  };
  std::int64_t step = 1;
  for (; !fits(too_small + step); step *= 2) too_small += step;
  while (step > 1) {
    step /= 2;
    if (!fits(too_small + step)) too_small += step;
  }
  return too_small + step;
}

}  // namespace

std::vector<ZooModel> models() {
  return {
      {"inception-v3", "Inception-v3 without auxiliary classifier, 299x299 image", image(299),
       inception_v3},
      {"resnet-50", "ResNet-50 v1.5, 224x224 image", image(224), resnet_50},
      {"resnext-50", "ResNeXt-50 32x4d, 224x224 image", image(224), resnext_50},
      {"nasnet-a-large", "NASNet-A 6@4032, 331x331 image", image(331), nasnet_a_large},
      {"nasnet-a-mobile", "NASNet-A 4@1056, 224x224 image", image(224), nasnet_a_mobile},
      {"bert-base", "BERT-base encoder with pooler, 128 tokens", typed_tokens(128), bert_base},
      {"rnntc-sru", "simple recurrent unit, 20 steps of width 1024", sequence(kSruSteps, 1024),
       rnntc_sru},
      {"googlenet", "GoogLeNet without auxiliary classifiers, 224x224 image", image(224),
       googlenet},
      {"squeezenet-1.1", "SqueezeNet 1.1, 224x224 image", image(224), squeezenet},
      {"deepfm",
       "DeepFM, 32 fields of 100 to 3200 values and 16 numbers, the sizes of Opara's example",
       fields_and_numbers(kFields, kNumbers), deepfm},
      {"t5-small-encoder", "T5-small encoder, 128 tokens, our reading of Opara's T5", tokens(128),
       t5_small_encoder},
  };
}

std::vector<ZooInput> inputs_of(const ZooModel& model, const ZooOptions& options) {
  const std::int64_t size = options.image_size;
  if (options.batch < 1)
    raise(ErrorKind::Usage,
          fmt::format("the batch size is {}, expected at least 1", options.batch));
  if (size < 0 || size > kLargestImage)
    raise(ErrorKind::Usage,
          fmt::format("the image size is {}, expected 1 to {}, or 0 for the model's own", size,
                      kLargestImage));
  if (size > 0 && !reads_image(model))
    raise(ErrorKind::Usage,
          fmt::format("{} reads no image, so it takes no image size", model.name));
  std::vector<ZooInput> inputs = model.inputs;
  for (ZooInput& input : inputs) input.type.dims[0] = options.batch;
  if (size > 0) inputs[0].type.dims = {options.batch, 3, size, size};
  return inputs;
}

Graph build(std::string_view name, const ZooOptions& options) {
  ZooOptions asked = options;
  const ZooModel model = find(take_image_size(name, asked));
  if (std::optional<Graph> graph = assemble_if_it_fits(model, asked)) return std::move(*graph);
  raise(ErrorKind::Usage,
        fmt::format("an image of {0}x{0} is too small for {1}, which needs at least {2}x{2}",
                    asked.image_size, model.name, smallest_size(model, asked.image_size)));
}

}  // namespace braid::zoo
