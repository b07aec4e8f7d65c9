#include "onnx/metadata.h"

#include <random>

#include <gtest/gtest.h>

#include "onnx/testing/models.h"
#include "onnx/wire.h"

namespace braid::onnx {
namespace {

using namespace testing;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

proto::ModelProto parsed(const Metadata& metadata) {
  proto::ModelProto model;
  parse(metadata, {}, model);
  return model;
}

TEST(Metadata, LeavesOutElementsAndRemembersWhereTheyAre) {
  auto m = model_of({node("Relu", {"x"}, {"y"})});
  *m.mutable_graph()->add_initializer() =
      raw_tensor<float>("w", {1000}, std::vector<float>(1000, 1));
  const std::string bytes = m.SerializeAsString();
  const Metadata metadata = split(bytes_of(bytes), MessageKind::Model, {});
  EXPECT_LT(metadata.bytes.size(), 300);
  const auto slim = parsed(metadata);
  EXPECT_EQ(slim.graph().initializer(0).name(), "w");
  EXPECT_EQ(slim.graph().initializer(0).dims(0), 1000);
  EXPECT_EQ(metadata.tensors.at(tensor_index(slim.graph().initializer(0))).size(),
            m.graph().initializer(0).ByteSizeLong());
}

TEST(Metadata, KeepsOnlyWhatBraidReads) {
  auto m = model_of({node("Relu", {"x"}, {"y"})});
  m.set_doc_string(std::string(1000, 'd'));
  m.mutable_graph()->mutable_node(0)->set_doc_string("d");
  m.add_metadata_props()->set_key("k");
  *m.mutable_graph()->add_value_info() = value_info("y", {"2"});
  m.add_training_info()->mutable_algorithm()->set_name("a");
  std::string bytes = m.SerializeAsString();
  bytes += "\xfa\x7f\x03xyz";  // an unknown field
  const auto slim = parsed(split(bytes_of(bytes), MessageKind::Model, {}));
  auto expected = model_of({node("Relu", {"x"}, {"y"})});
  EXPECT_EQ(slim.SerializeAsString(), expected.SerializeAsString());
}

TEST(Metadata, RefusesTwoGraphs) {
  const std::string bytes = model_of({}).SerializeAsString();
  expect_error(ErrorKind::Model, {"two graphs"}, [&] { load_serialised(bytes + bytes); });
}

/// `depth` graphs, each in an attribute of a node of the one around it.
std::string nested(int depth) {
  const auto wrap = [](char tag, const std::string& contents) {
    std::string length;
    std::uint64_t n = contents.size();
    for (; n >= 0x80; n >>= 7) length.push_back(static_cast<char>(n | 0x80));
    length.push_back(static_cast<char>(n));
    return std::string(1, tag) + length + contents;
  };
  std::string graph;
  for (int i = 0; i < depth; ++i)
    graph = wrap('\x0a', wrap('\x2a', wrap('\x32', graph)));  // node, attribute, g
  return "\x08\x08" + wrap('\x3a', graph);
}

TEST(Metadata, LimitsNesting) {
  expect_error(ErrorKind::Quota, {"nesting"}, [] { load_serialised(nested(10'000)); });
  proto::ModelProto model;
  const std::string fits = nested(31);
  parse(split(bytes_of(fits), MessageKind::Model, {}), {}, model);
}

TEST(Metadata, LimitsWhatItWouldTake) {
  Quotas quotas;
  quotas.nodes = 10;
  const auto split_with = [&](const proto::ModelProto& m) {
    const std::string bytes = m.SerializeAsString();
    split(bytes_of(bytes), MessageKind::Model, quotas);
  };
  split_with(model_of(std::vector<proto::NodeProto>(10)));
  expect_error(ErrorKind::Quota, {"'nodes'", "10"},
               [&] { split_with(model_of(std::vector<proto::NodeProto>(11))); });
  quotas = {};
  quotas.tensors = 1;
  auto tensors = model_of({});
  for (int i = 0; i < 2; ++i)
    *tensors.mutable_graph()->add_initializer() = raw_tensor<float>("w", {1}, {1});
  expect_error(ErrorKind::Quota, {"'tensors'"}, [&] { split_with(tensors); });
  quotas = {};
  quotas.metadata_bytes = 10'000;
  expect_error(ErrorKind::Quota, {"'metadata_bytes'"}, [&] {
    split_with(
        model_of({with_ints(node("Relu", {"x"}, {"y"}), "a", std::vector<std::int64_t>(2000, 1))}));
  });
}

TEST(Metadata, TenMillionEmptyNodesAreRefusedBeforeTheyTakeMemory) {
  std::string graph(20'000'000, '\x00');
  for (std::size_t i = 0; i < graph.size(); i += 2) graph[i] = '\x0a';
  std::string bytes = "\x08\x08\x3a\x80\xda\xc4\x09" + graph;
  expect_error(ErrorKind::Quota, {"'nodes'"}, [&] { load_serialised(bytes); });
}

std::string interesting_model() {
  auto m = model_of(
      {with_ints(node("MaxPool", {"x"}, {"p"}, "pool"), "kernel_shape", {2, 2}),
       node("Gemm", {"p2", "w"}, {"y"}), with_int(node("Flatten", {"p"}, {"p2"}), "axis", 1)},
      13, {"N", "1", "4", "4"});
  *m.mutable_graph()->add_initializer() = raw_tensor<float>("w", {9, 2}, std::vector<float>(18, 1));
  *m.mutable_graph()->add_output() = value_info("p", {"N"});
  auto* f = m.add_functions();
  f->set_domain("d");
  f->set_name("F");
  f->add_input("a");
  f->add_output("b");
  *f->add_node() = node("Relu", {"a"}, {"b"});
  auto call = node("F", {"x"}, {"z"});
  call.set_domain("d");
  *m.mutable_graph()->add_node() = call;
  return m.SerializeAsString();
}

/// A graph or an Error; anything else (a crash, another exception) fails.
void expect_answer(const std::string& bytes) {
  LoadOptions options;
  options.dims["N"] = 1;
  try {
    load_serialised(bytes, options);
  } catch (const Error& error) {
    EXPECT_NE(error.kind(), ErrorKind::Internal) << error.what();
  }
}

TEST(Metadata, AnyTruncationGivesAnAnswer) {
  const std::string bytes = interesting_model();
  for (std::size_t n = 0; n <= bytes.size(); ++n) expect_answer(bytes.substr(0, n));
}

TEST(Metadata, AnyFlippedByteGivesAnAnswer) {
  const std::string bytes = interesting_model();
  std::mt19937 random(1);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int k = 0; k < 8; ++k) {
      std::string broken = bytes;
      broken[i] = static_cast<char>(random());
      if (k > 4) broken[random() % broken.size()] = static_cast<char>(random());
      expect_answer(broken);
    }
}

TEST(Metadata, OtherFilesAreNotModels) {
  for (const std::string& bytes :
       {std::string("\x7f"
                    "ELF\x02\x01\x01"),
        std::string("PK\x03\x04"), std::string("\x1f\x8b\x08"), std::string("\x80\x04\x95"),
        std::string("hello, world\n"), std::string(1, '\0')})
    expect_error(ErrorKind::Model, {"not a valid ONNX"}, [&] { load_serialised(bytes); });
}

}  // namespace
}  // namespace braid::onnx
