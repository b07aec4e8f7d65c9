#include "zoo/zoo.h"

#include <cctype>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "zoo/layers.h"
#include "zoo/networks.h"

namespace braid::zoo {
namespace {

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
  std::string names;
  for (ZooModel& model : models()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", model.name);
    if (plain(model.name) == plain(name)) return model;
    if (!plain(name).empty() && plain(model.name).starts_with(plain(name)))
      candidates.push_back(std::move(model));
  }
  if (candidates.size() != 1)
    raise(ErrorKind::Usage,
          fmt::format("there is no benchmark model {}; there are {}", quote(name), names));
  return candidates[0];
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

std::vector<ZooInput> inputs_of(const ZooModel& model, std::int64_t batch) {
  if (batch < 1)
    raise(ErrorKind::Usage, fmt::format("the batch size is {}, expected at least 1", batch));
  std::vector<ZooInput> inputs = model.inputs;
  for (ZooInput& input : inputs) input.type.dims[0] = batch;
  return inputs;
}

Graph build(std::string_view name, const ZooOptions& options) {
  const ZooModel model = find(name);
  Graph graph;
  graph.name = model.name;
  graph.opset = 17;
  for (const ZooInput& input : inputs_of(model, options.batch))
    graph.add_input(input.name, input.type);
  Layers net(graph, options.seed);
  model.network(net);
  return graph;
}

}  // namespace braid::zoo
