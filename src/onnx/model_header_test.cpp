#include "onnx/model_header.h"

#include <gtest/gtest.h>

#include "onnx/save.h"
#include "onnx/testing/models.h"

namespace braid::onnx {
namespace {

using namespace testing;

proto::ModelProto labelled_model() {
  auto m = model_of({node("Relu", {"x"}, {"y"})}, 13, {"batch", "", "3"}, {});
  *m.mutable_graph()->add_output() = value_info("y", {"batch", "", "3"});
  m.set_producer_name("torch");
  m.set_producer_version("2.1");
  m.set_domain("org.example");
  m.set_model_version(7);
  m.set_doc_string("for cats");
  m.mutable_graph()->set_doc_string("one layer");
  for (const std::string key : {"author", "licence"}) {
    auto* pair = m.add_metadata_props();
    pair->set_key(key);
    pair->set_value(key + "'s value");
  }
  return m;
}

proto::ModelProto model_in(const std::filesystem::path& file) {
  proto::ModelProto model;
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(model.ParseFromIstream(&stream));
  return model;
}

TEST(ModelHeader, IsWhatTheFileSaysBesideItsGraph) {
  const Folder folder;
  const auto header = read_header(folder.write("m.onnx", labelled_model().SerializeAsString()));
  EXPECT_EQ(header.producer_name, "torch");
  EXPECT_EQ(header.producer_version, "2.1");
  EXPECT_EQ(header.domain, "org.example");
  EXPECT_EQ(header.model_version, 7);
  EXPECT_EQ(header.documentation, "for cats");
  EXPECT_EQ(header.graph_documentation, "one layer");
  ASSERT_EQ(header.metadata.size(), 2);
  EXPECT_EQ(header.metadata[1],
            (std::pair<std::string, std::string>("licence", "licence's value")));
  ASSERT_EQ(header.inputs.size(), 1);
  EXPECT_EQ(header.inputs[0].dims, (Dims{-1, -1, 3}));
  EXPECT_EQ(header.inputs[0].symbols, (Strings{"batch", "", ""}));
  ASSERT_EQ(header.outputs.size(), 1);
  EXPECT_EQ(header.outputs[0].name, "y");
}

TEST(ModelHeader, NamesTheFilesOfWeights) {
  const Folder folder;
  auto m = model_of({node("Add", {"x", "w"}, {"y"})});
  auto* tensor = m.mutable_graph()->add_initializer();
  tensor->set_name("w");
  auto* entry = tensor->add_external_data();
  entry->set_key("location");
  entry->set_value("weights.bin");
  EXPECT_EQ(read_header(folder.write("m.onnx", m.SerializeAsString())).data_files,
            std::set<std::string>{"weights.bin"});
}

TEST(ModelHeader, IsBounded) {
  const Folder folder;
  auto m = labelled_model();
  m.set_doc_string(std::string(100'000, 'd'));
  Quotas quotas;
  quotas.metadata_bytes = 50'000;
  expect_error(ErrorKind::Quota, {"metadata_bytes", "m.onnx"},
               [&] { read_header(folder.write("m.onnx", m.SerializeAsString()), quotas); });
}

TEST(ModelHeader, StaysWhenTheGraphIsWrittenAgain) {
  const Folder folder;
  const auto in = folder.write("in.onnx", labelled_model().SerializeAsString());
  const auto out = folder.path() / "out.onnx";
  LoadOptions options;
  options.shapes["x"] = {2, 4, 3};
  SaveOptions save_options;
  save_options.header = read_header(in);
  save_options.metadata = {{"author", "another"}, {"braid.version", "1"}};
  const SavedModel saved = save(load(in, options), out, save_options);
  EXPECT_EQ(saved.opset, 13);
  EXPECT_FALSE(saved.has_data_file);
  const auto m = model_in(out);
  EXPECT_EQ(m.producer_name(), "torch");
  EXPECT_EQ(m.producer_version(), "2.1");
  EXPECT_EQ(m.domain(), "org.example");
  EXPECT_EQ(m.model_version(), 7);
  EXPECT_EQ(m.doc_string(), "for cats");
  EXPECT_EQ(m.graph().doc_string(), "one layer");
  ASSERT_EQ(m.metadata_props_size(), 3);
  EXPECT_EQ(m.metadata_props(0).value(), "another");
  EXPECT_EQ(m.metadata_props(1).value(), "licence's value");
  EXPECT_EQ(m.metadata_props(2).key(), "braid.version");
}

TEST(OpenDimensions, AreDeclaredByTheirSymbols) {
  const Folder folder;
  const auto in = folder.write("in.onnx", labelled_model().SerializeAsString());
  const auto out = folder.path() / "out.onnx";
  LoadOptions options;
  options.shapes["x"] = {2, 4, 3};
  SaveOptions save_options;
  save_options.open = {{"x", {"batch", "", std::nullopt}}, {"y", {"batch", "", std::nullopt}}};
  save(load(in, options), out, save_options);
  const auto header = read_header(out);
  for (const ValueInfo& value : {header.inputs.at(0), header.outputs.at(0)}) {
    EXPECT_EQ(value.dims, (Dims{-1, -1, 3}));
    EXPECT_EQ(value.symbols, (Strings{"batch", "", ""}));
  }
  EXPECT_EQ(model_in(out).graph().value_info_size(), 0);
}

TEST(OpenDimensions, AreTheOnlyDifferenceOfTheSameGraphAtTwoSizes) {
  const auto graph = [](const std::string& text, const Dims& dims) {
    auto m = model_of({node("Relu", {"x"}, {text})}, 13, {"n", "3"}, {text});
    LoadOptions options;
    options.shapes["x"] = dims;
    return load_model(m, options);
  };
  EXPECT_TRUE(same_but_for_sizes(graph("y", {1, 3}), graph("y", {5, 3})));
  EXPECT_FALSE(same_but_for_sizes(graph("y", {1, 3}), graph("z", {5, 3})));
}

TEST(OpenDimensions, DoNotHideAConstantThatHoldsForOneSize) {
  const auto graph = [](std::int64_t n) {
    auto m = model_of({node("Reshape", {"x", "s"}, {"y"})}, 13, {"n", "3"});
    *m.mutable_graph()->add_initializer() = raw_tensor<std::int64_t>("s", {1}, {3 * n});
    LoadOptions options;
    options.shapes["x"] = {n, 3};
    return load_model(m, options);
  };
  EXPECT_TRUE(same_but_for_sizes(graph(2), graph(2)));
  EXPECT_FALSE(same_but_for_sizes(graph(2), graph(4)));
}

}  // namespace
}  // namespace braid::onnx
