#include "onnx/external_data.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "onnx/testing/models.h"

namespace braid::onnx {
namespace {

using namespace testing;

const std::string kData(64, '\1');

/// A model whose only value, u8[`size`], is in another file.
std::string model_with(const std::vector<std::pair<std::string, std::string>>& entries,
                       std::int64_t size = 16) {
  auto m = model(17);
  auto& tensor = *m.mutable_graph()->add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(proto::TensorProto::UINT8);
  tensor.add_dims(size);
  tensor.set_data_location(proto::TensorProto::EXTERNAL);
  for (const auto& [key, value] : entries) {
    auto* entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  m.mutable_graph()->add_output()->set_name("w");
  return m.SerializeAsString();
}

class ExternalDataTest : public ::testing::Test {
 protected:
  Graph load_with(const std::vector<std::pair<std::string, std::string>>& entries,
                  const LoadOptions& options = {}, std::int64_t size = 16) {
    return load(folder_.write("models/m.onnx", model_with(entries, size)), options);
  }
  Graph load_from(const std::string& location, const LoadOptions& options = {}) {
    return load_with({{"location", location}}, options);
  }
  void expect_refused(const std::string& location, const Strings& parts,
                      const LoadOptions& options = {}) {
    Strings all = parts;
    all.emplace_back("'w'");
    all.emplace_back("m.onnx");
    expect_error(ErrorKind::Model, all, [&] { load_from(location, options); });
  }
  std::filesystem::path models() const { return folder_.path() / "models"; }

  Folder folder_;
};

TEST_F(ExternalDataTest, ReadsAPartOfAFile) {
  folder_.write("models/sub/d.bin", std::string(32, '\7') + std::string(32, '\5'));
  const Graph graph =
      load_with({{"location", "sub/d.bin"}, {"offset", "32"}, {"length", "16"}, {"checksum", "?"}});
  EXPECT_EQ(graph.value(graph.find("w")).constant.bytes()[0], std::byte{5});
}

TEST_F(ExternalDataTest, MapsLargeTensorsOnce) {
  folder_.write("models/d.bin", std::string(1 << 20, '\3'));
  const Graph graph = load_with({{"location", "d.bin"}, {"offset", "1"}}, {}, (1 << 20) - 1);
  EXPECT_EQ(graph.value(graph.find("w")).constant.bytes().size(), (1 << 20) - 1);
}

TEST_F(ExternalDataTest, StaysInTheFolder) {
  folder_.write("secret", kData);
  folder_.write("models/inside", kData);
  for (const std::string location :
       {"../secret", "a/../../secret", "models/../../secret", "..", ".", "", "/etc/passwd",
        "~/secret", "C:\\x", "%2e%2e/secret", "sub/", "./../secret"})
    expect_refused(location, {});
  expect_refused(std::string("inside\0x", 8), {});
  load_from("./inside");
}

TEST_F(ExternalDataTest, FollowsNoLinks) {
  folder_.write("secret", kData);
  folder_.write("elsewhere/d.bin", kData);
  std::filesystem::create_directories(models());
  std::filesystem::create_symlink("../secret", models() / "link");
  expect_refused("link", {"symbolic link", "--external-data-root"});
  std::filesystem::create_directory_symlink("../elsewhere", models() / "parent");
  expect_refused("parent/d.bin", {"symbolic link"});
  folder_.write("models/real", kData);
  std::filesystem::create_symlink("real", models() / "inner");
  expect_refused("inner", {"symbolic link"});
  std::filesystem::create_hard_link(folder_.path() / "secret", models() / "hard");
  expect_refused("hard", {"hard links"});
}

TEST_F(ExternalDataTest, RefusesWhatIsNotAFile) {
  std::filesystem::create_directories(models() / "folder");
  ASSERT_EQ(::mkfifo((models() / "pipe").c_str(), 0600), 0);
  expect_refused("pipe", {"regular file"});
  expect_refused("folder", {"regular file"});
  expect_refused("absent", {"cannot open"});
}

TEST_F(ExternalDataTest, FollowsLinksBelowAGivenRoot) {
  // Caches of downloaded models are laid out like this: names are links to blobs.
  folder_.write("blobs/0a1b", kData);
  folder_.write("outside/secret", kData);
  folder_.write("cache/blobs/0a1b", kData);
  std::filesystem::create_directories(folder_.path() / "cache/snapshots/1");
  const auto snapshot = folder_.path() / "cache/snapshots/1";
  folder_.write("cache/blobs/model", model_with({{"location", "d.bin"}}));
  std::filesystem::create_symlink("../../blobs/model", snapshot / "m.onnx");
  std::filesystem::create_symlink("../../blobs/0a1b", snapshot / "d.bin");
  expect_error(ErrorKind::Model, {"symbolic link"}, [&] { load(snapshot / "m.onnx"); });
  LoadOptions options;
  options.external_data_root = folder_.path() / "cache";
  EXPECT_EQ(load(snapshot / "m.onnx", options).outputs().size(), 1);

  std::filesystem::remove(snapshot / "d.bin");
  std::filesystem::create_symlink(folder_.path() / "cache/blobs/0a1b", snapshot / "d.bin");
  EXPECT_EQ(load(snapshot / "m.onnx", options).outputs().size(), 1) << "an absolute link";

  std::filesystem::remove(snapshot / "d.bin");
  std::filesystem::create_symlink("../../../outside/secret", snapshot / "d.bin");
  expect_error(ErrorKind::Model, {"leads out of"}, [&] { load(snapshot / "m.onnx", options); });
}

TEST_F(ExternalDataTest, ChecksRanges) {
  folder_.write("models/d.bin", kData);
  const auto expect_bad = [&](const std::vector<std::pair<std::string, std::string>>& more) {
    auto entries = more;
    entries.emplace_back("location", "d.bin");
    expect_error(ErrorKind::Model, {"'w'"}, [&] { load_with(entries); });
  };
  for (const std::string bad : {"-1", "49", "65", "9223372036854775807", "99999999999999999999",
                                "1e3", "0x10", " 1", "1 ", ""})
    expect_bad({{"offset", bad}});
  for (const std::string bad : {"-1", "15", "17", "1125899906842624", "9223372036854775807"})
    expect_bad({{"length", bad}});
  expect_bad({{"offset", "0"}, {"offset", "1"}});
  expect_bad({{"location", "d.bin"}});
  expect_error(ErrorKind::Model, {"'w'", "64"},
               [&] { load_with({{"location", "d.bin"}}, {}, 65); });
}

TEST_F(ExternalDataTest, AppliesToAttributesToo) {
  folder_.write("secret", kData);
  auto m = model(17);
  auto constant = node("Constant", {}, {"w"});
  auto& t = *add_attribute(constant, "value", proto::AttributeProto::TENSOR).mutable_t();
  t.set_data_type(proto::TensorProto::UINT8);
  t.add_dims(16);
  t.set_data_location(proto::TensorProto::EXTERNAL);
  auto* entry = t.add_external_data();
  entry->set_key("location");
  entry->set_value("../secret");
  *m.mutable_graph()->add_node() = constant;
  m.mutable_graph()->add_output()->set_name("w");
  const auto path = folder_.write("models/m.onnx", m.SerializeAsString());
  expect_error(ErrorKind::Model, {"'../secret'"}, [&] { load(path); });
}

TEST_F(ExternalDataTest, NeedsAFolder) {
  expect_error(ErrorKind::Unsupported, {"folder", "--external-data-root"},
               [] { load_serialised(model_with({{"location", "d.bin"}})); });
  folder_.write("models/d.bin", kData);
  LoadOptions options;
  options.external_data_root = models();
  EXPECT_EQ(load_serialised(model_with({{"location", "d.bin"}}), options).outputs().size(), 1);
}

}  // namespace
}  // namespace braid::onnx
