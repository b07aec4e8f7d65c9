#include "tensor/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/output_file.h"
#include "base/text.h"
#include "tensor/element.h"
#include "tensor/zip.h"

namespace braid {
namespace {

static_assert(std::endian::native == std::endian::little);

struct Code {
  std::string_view code;
  ElementType type;
};
constexpr Code kCodes[] = {
    {"f4", ElementType::F32},  {"f8", ElementType::F64}, {"f2", ElementType::F16},
    {"V2", ElementType::BF16}, {"i1", ElementType::I8},  {"i2", ElementType::I16},
    {"i4", ElementType::I32},  {"i8", ElementType::I64}, {"u1", ElementType::U8},
    {"u2", ElementType::U16},  {"u4", ElementType::U32}, {"u8", ElementType::U64},
    {"b1", ElementType::Bool}};

struct Header {
  TensorType type;
  bool swapped = false;
  bool fortran = false;
  std::size_t size = 0;  // of everything before the elements
};

class HeaderParser {
 public:
  HeaderParser(std::span<const std::byte> bytes, const std::string& name)
      : bytes_(bytes), name_(name) {}

  Header run() {
    constexpr std::string_view magic = "\x93NUMPY";
    if (bytes_.size() < 10 || std::memcmp(bytes_.data(), magic.data(), magic.size()) != 0)
      fail("not a NumPy array file");
    const auto version = std::to_integer<int>(bytes_[6]);
    std::uint32_t length = 0;
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    if (bytes_.size() < 8 + length_bytes) fail("the header is cut off");
    std::memcpy(&length, bytes_.data() + 8, length_bytes);
    if (version < 1 || version > 3) fail(fmt::format("format version {} is not known", version));
    if (length > bytes_.size() - 8 - length_bytes) fail("the header is cut off");
    text_ = {reinterpret_cast<const char*>(bytes_.data()) + 8 + length_bytes, length};
    Header header;
    header.size = 8 + length_bytes + length;
    dictionary(header);
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    raise(ErrorKind::Model, fmt::format("{}: {}", quote(name_), what));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("malformed header (expected '{}')", c));
  }
  std::string_view quoted_text() {
    expect('\'');
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) fail("malformed header");
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }
  bool boolean() {
    skip_blanks();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("malformed header (expected True or False)");
  }
  Dims shape() {
    Dims dims;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::int64_t d = 0;
      const auto [end, problem] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), d);
      if (problem != std::errc() || d < 0) fail("malformed shape");
      at_ = static_cast<std::size_t>(end - text_.data());
      dims.push_back(d);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return dims;
  }

  void element(std::string_view descr, Header& header) {
    if (descr.size() < 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
      raise(ErrorKind::Unsupported,
            fmt::format("{}: arrays of {} are not supported", quote(name_), quote(descr)));
    header.swapped = descr[0] == '>';
    for (const Code& row : kCodes)
      if (row.code == descr.substr(1)) {
        header.type.element = row.type;
        return;
      }
    raise(ErrorKind::Unsupported,
          fmt::format("{}: elements of type {} are not supported", quote(name_), quote(descr)));
  }

  void dictionary(Header& header) {
    bool has_descr = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted_text();
      expect(':');
      if (key == "descr") {
        element(quoted_text(), header);
        has_descr = true;
      } else if (key == "fortran_order") {
        header.fortran = boolean();
      } else if (key == "shape") {
        header.type.dims = shape();
        has_shape = true;
      } else {
        fail(fmt::format("unknown header key {}", quote(key)));
      }
      accept(',');
    }
    if (!has_descr || !has_shape) fail("the header lacks 'descr' or 'shape'");
  }

  std::span<const std::byte> bytes_;
  const std::string& name_;
  std::string_view text_;
  std::size_t at_ = 0;
};

Tensor swap_bytes(const Tensor& tensor) {
  Tensor out = Tensor::copy_of(tensor.type(), tensor.bytes());
  const auto bytes = out.mutable_bytes();
  const auto size = static_cast<std::size_t>(byte_size(tensor.element()));
  for (std::size_t i = 0; i < bytes.size(); i += size)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + size));
  return out;
}

/// Column-major elements in row-major order.
Tensor to_row_major(const Tensor& tensor) {
  Tensor out = Tensor::uninitialised(tensor.type());
  const auto from = tensor.bytes();
  const auto to = out.mutable_bytes();
  const auto size = static_cast<std::size_t>(byte_size(tensor.element()));
  const Dims& dims = tensor.dims();
  Dims strides(dims.size(), 1);
  for (std::size_t d = 1; d < dims.size(); ++d) strides[d] = strides[d - 1] * dims[d - 1];
  Dims index(dims.size(), 0);
  std::int64_t source = 0;
  for (std::size_t i = 0; i < to.size(); i += size) {
    std::memcpy(&to[i], &from[static_cast<std::size_t>(source) * size], size);
    for (std::size_t d = dims.size(); d-- > 0;) {
      source += strides[d];
      if (++index[d] < dims[d]) break;
      source -= strides[d] * dims[d];
      index[d] = 0;
    }
  }
  return out;
}

std::string header_of(const TensorType& type) {
  std::string_view code;
  for (const Code& row : kCodes)
    if (row.type == type.element) code = row.code;
  const char order = byte_size(type.element) == 1 || code[0] == 'V' ? '|' : '<';
  const std::string shape =
      fmt::format("({}{})", fmt::join(type.dims, ", "), type.dims.size() == 1 ? "," : "");
  std::string text =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}", order, code, shape);
  // The elements begin at a multiple of 64.
  text.resize((text.size() + 1 + 10 + 63) / 64 * 64 - 10, ' ');
  text.back() = '\n';
  const auto length = static_cast<std::uint16_t>(text.size());
  std::string header("\x93NUMPY\x01\x00", 8);
  header.append(reinterpret_cast<const char*>(&length), 2);
  return header + text;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                 const std::string& name) {
  const Header header = HeaderParser(bytes, name).run();
  const std::int64_t expected = with_note([&] { return "while reading " + quote(name); },
                                          [&] { return byte_size(header.type); });
  const auto elements = bytes.subspan(header.size);
  if (static_cast<std::int64_t>(elements.size()) < expected)
    raise(ErrorKind::Model, fmt::format("{}: {} needs {} bytes, the file holds {}", quote(name),
                                        to_string(header.type), expected, elements.size()));
  Tensor tensor = Tensor::borrow(header.type, elements.data(), std::move(owner));
  if (header.swapped) tensor = swap_bytes(tensor);
  if (header.fortran && header.type.dims.size() > 1) tensor = to_row_major(tensor);
  return tensor.aligned();
}

Tensor read_npy(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  return parse_npy(file->bytes(), file, path.string());
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  OutputFile file(path);
  const std::string header = header_of(tensor.type());
  const auto data = tensor.bytes();
  file.stream().write(header.data(), static_cast<std::streamsize>(header.size()));
  file.stream().write(reinterpret_cast<const char*>(data.data()),
                      static_cast<std::streamsize>(data.size()));
  file.commit();
}

std::vector<NamedTensor> read_npz(const std::filesystem::path& path, std::int64_t most_bytes) {
  const auto file = MappedFile::open(path);
  std::vector<NamedTensor> tensors;
  const std::int64_t room = most_bytes > 0 ? most_bytes : memory_of_machine();
  for (const ZipMember& member : read_zip(file, path.string(), room)) {
    std::string name = member.name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    tensors.emplace_back(name,
                         parse_npy(member.bytes, member.owner, path.string() + ":" + member.name));
  }
  return tensors;
}

void write_npz(const std::filesystem::path& path, std::span<const NamedTensor> tensors) {
  OutputFile file(path);
  ZipWriter zip(file.stream());
  for (const auto& [name, tensor] : tensors) {
    const std::string header = header_of(tensor.type());
    const std::span<const std::byte> pieces[] = {bytes_of(header), tensor.bytes()};
    zip.add(name + ".npy", pieces);
  }
  zip.finish();
  file.commit();
}

}  // namespace braid
