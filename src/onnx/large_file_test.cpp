#include <fstream>

#include <gtest/gtest.h>

#include "base/mapped_file.h"
#include "onnx/load.h"
#include "onnx/save.h"
#include "onnx/tensor_writer.h"
#include "onnx/testing/models.h"

namespace braid::onnx {
namespace {

using namespace testing;

/// A model of one weight of 3 GiB, whose bytes are a hole in the file up to the last one.
std::filesystem::path write_large(const Folder& folder, std::int64_t bytes) {
  auto tensor = raw_tensor<std::uint8_t>("w", {bytes}, {});
  tensor.clear_raw_data();
  const std::string head = tensor.SerializeAsString() + bytes_header(9, bytes);
  const auto tensor_bytes = static_cast<std::int64_t>(head.size()) + bytes;
  auto m = model(17);
  m.mutable_graph()->add_output()->set_name("w");
  const std::string initialiser = bytes_header(5, tensor_bytes) + head;
  const std::string graph = m.graph().SerializeAsString();
  m.clear_graph();
  const auto path = folder.path() / "large.onnx";
  std::ofstream out(path, std::ios::binary);
  out << m.SerializeAsString()
      << bytes_header(7, static_cast<std::int64_t>(graph.size() + initialiser.size()) + bytes)
      << graph << initialiser;
  out.seekp(bytes - 1, std::ios::cur);
  out.put('\x2a');
  return path;
}

TEST(LargeFile, AboveTwoGigabytesIsMapped) {
  const Folder folder;
  const std::int64_t bytes = std::int64_t{3} << 30;
  const Graph graph = load(write_large(folder, bytes));
  const auto weight = graph.value(graph.find("w")).constant.bytes();
  ASSERT_EQ(static_cast<std::int64_t>(weight.size()), bytes);
  EXPECT_EQ(weight.front(), std::byte{0});
  EXPECT_EQ(weight.back(), std::byte{0x2a});
}

TEST(LargeFile, CutShortIsRefused) {
  const Folder folder;
  const auto path = write_large(folder, std::int64_t{3} << 30);
  std::filesystem::resize_file(path, (std::int64_t{3} << 30) - 1);
  expect_error(ErrorKind::Model, {"cut off", "large.onnx"}, [&] { load(path); });
}

}  // namespace
}  // namespace braid::onnx
