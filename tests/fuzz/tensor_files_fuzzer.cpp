// Bytes as a file of inputs: .npy, .npz or .pb as the first byte says. What is read can be written
// and read again.

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "onnx/tensor_file.h"
#include "tensor/npy.h"
#include "tests/fuzz/fuzz.h"

namespace braid::fuzz {
namespace {

namespace fs = std::filesystem;

/// A folder that goes away with the process.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "braid-fuzz-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

const fs::path& folder() {
  static const Folder made;
  return made.path();
}

std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

fs::path write(std::string_view name, std::string_view bytes) {
  fs::path file = folder() / name;
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

void expect_same(const Tensor& a, const Tensor& b) {
  if (!identical(a.aligned(), b.aligned()))
    fail("a tensor changes when it is written and read: " + to_string(a.type()));
}

void check_npy(std::string_view bytes) {
  const Tensor tensor = read_npy(write("in.npy", bytes));
  write_npy(folder() / "out.npy", tensor);
  expect_same(tensor, read_npy(folder() / "out.npy"));
}

void check_npz(std::string_view bytes) {
  const std::vector<NamedTensor> tensors =
      read_npz(write("in.npz", bytes), small_quotas().memory_bytes);
  write_npz(folder() / "out.npz", tensors);
  const std::vector<NamedTensor> again = read_npz(folder() / "out.npz");
  if (again.size() != tensors.size()) fail("an archive changes when it is written and read");
  for (std::size_t i = 0; i < again.size(); ++i) expect_same(tensors[i].second, again[i].second);
}

void check_pb(std::string_view bytes) {
  const onnx::TensorFile tensor = onnx::read_tensor_file(write("in.pb", bytes), small_quotas());
  onnx::write_tensor_file(folder() / "out.pb", tensor);
  expect_same(tensor.tensor, onnx::read_tensor_file(folder() / "out.pb").tensor);
}

}  // namespace

std::vector<std::string> seeds() {
  const Tensor reals = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor integers = Tensor::of<std::int64_t>({3}, {-1, 0, 1});
  const Tensor truth = Tensor::of<bool>({2}, {true, false});
  std::vector<std::string> made;
  for (const Tensor& tensor :
       {reals, integers, truth, Tensor::zeros({ElementType::BF16, {1, 0}})}) {
    write_npy(folder() / "s.npy", tensor);
    made.push_back("0" + contents(folder() / "s.npy"));
    onnx::write_tensor_file(folder() / "s.pb", {"x", tensor});
    made.push_back("2" + contents(folder() / "s.pb"));
  }
  const std::array<NamedTensor, 2> both = {NamedTensor{"x", reals}, NamedTensor{"y", integers}};
  write_npz(folder() / "s.npz", both);
  made.push_back("1" + contents(folder() / "s.npz"));
  return made;
}

}  // namespace braid::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braid::fuzz;
  if (size == 0) return 0;
  constexpr std::array checks = {check_npy, check_npz, check_pb};
  attempt([&] { checks.at(data[0] % checks.size())(text_of(data + 1, size - 1)); });
  return 0;
}
