#include "tensor/npy.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/error.h"

namespace braid {
namespace {

class NpyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / (std::string("npy_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

std::string array_file(std::string header, const std::string& elements) {
  header.resize(118, ' ');
  header.back() = '\n';
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + elements;
}

Tensor parse(const std::string& text) {
  return parse_npy(std::as_bytes(std::span(text.data(), text.size())), nullptr, "a.npy");
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(NpyTest, ReadsBackWhatItWrites) {
  for (const Tensor& tensor :
       {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::of<std::int64_t>({1}, {-5}),
        Tensor::scalar<double>(0.5), Tensor::of<bool>({2}, {true, false}),
        Tensor::of<BFloat16>({1}, {BFloat16{0x3f80}}), Tensor::of<float>({0, 4}, {})}) {
    write_npy(folder_ / "a.npy", tensor);
    EXPECT_TRUE(identical(read_npy(folder_ / "a.npy"), tensor)) << to_string(tensor.type());
  }
}

TEST_F(NpyTest, ArchivesKeepNamesAndOrder) {
  const std::vector<NamedTensor> tensors = {{"x/y:0", Tensor::of<float>({2}, {1, 2})},
                                            {"b", Tensor::of<std::uint8_t>({3}, {1, 2, 3})}};
  write_npz(folder_ / "a.npz", tensors);
  const auto read = read_npz(folder_ / "a.npz");
  ASSERT_EQ(read.size(), 2);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read[i].first, tensors[i].first);
    EXPECT_TRUE(identical(read[i].second, tensors[i].second));
  }
}

TEST_F(NpyTest, ADamagedArchiveIsRefused) {
  write_npz(folder_ / "a.npz", std::vector<NamedTensor>{{"x", Tensor::of<float>({2}, {1, 2})}});
  std::ifstream in(folder_ / "a.npz", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const std::string& broken :
         {whole.substr(0, i), whole.substr(0, i) + char(whole[i] ^ 0x40) + whole.substr(i + 1)}) {
      std::ofstream(folder_ / "b.npz", std::ios::binary) << broken;
      try {
        read_npz(folder_ / "b.npz");
      } catch (const Error& error) {
        EXPECT_NE(error.kind(), ErrorKind::Internal);
      }
    }
  }
}

TEST_F(NpyTest, MembersThatShareBytesAreRefused) {
  const std::vector<NamedTensor> tensors = {{"a", Tensor::zeros({ElementType::F32, {1000}})},
                                            {"b", Tensor::zeros({ElementType::F32, {1}})}};
  write_npz(folder_ / "a.npz", tensors);
  std::ifstream in(folder_ / "a.npz", std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(in)), {});
  // The second entry of the directory gets the checksum, sizes and place of the first.
  const std::size_t first = whole.find("PK\x01\x02");
  const std::size_t second = whole.find("PK\x01\x02", first + 4);
  for (const auto& [at, size] : {std::pair<std::size_t, std::size_t>{16, 12}, {42, 4}})
    whole.replace(second + at, size, whole.substr(first + at, size));
  std::ofstream(folder_ / "b.npz", std::ios::binary) << whole;
  try {
    read_npz(folder_ / "b.npz");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Model);
    EXPECT_NE(error.message().find("member 'b.npy' overlaps with others"), std::string::npos)
        << error.message();
  }
}

TEST(Npy, ReadsFortranOrderAndSwappedBytes) {
  const std::string bytes = {0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6};
  const Tensor tensor =
      parse(array_file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", bytes));
  EXPECT_TRUE(identical(tensor, Tensor::of<std::int16_t>({2, 3}, {1, 2, 3, 4, 5, 6})));
}

TEST(Npy, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(error_of("PK"), "'a.npy': not a NumPy array file");
  EXPECT_EQ(
      error_of(array_file("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "12345678")),
      "'a.npy': elements of type '<c8' are not supported");
  EXPECT_EQ(
      error_of(array_file("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "12345678")),
      "'a.npy': f32[3] needs 12 bytes, the file holds 8");
  EXPECT_EQ(error_of(array_file("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", "")),
            "'a.npy': malformed shape");
  EXPECT_EQ(error_of(array_file("{'descr': '<f4', 'fortran_order': False, }", "")),
            "'a.npy': the header lacks 'descr' or 'shape'");
}

}  // namespace
}  // namespace braid
