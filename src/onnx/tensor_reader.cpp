#include "onnx/tensor_reader.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "onnx/element_types.h"
#include "onnx/typed_data.h"

namespace braid::onnx {
namespace {

/// Smaller tensors are copied: they are read often and may stand unaligned in the file.
constexpr std::size_t kLargestCopied = 4096;

std::int64_t parse_number(const proto::StringStringEntryProto& entry, const std::string& what) {
  const std::string& text = entry.value();
  std::int64_t number = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < 0)
    raise(ErrorKind::Model, fmt::format("{}: external data has the {} {}, expected a number", what,
                                        printable(entry.key()), quote(text)));
  return number;
}

ExternalData::Range range_of(const proto::TensorProto& tensor, const std::string& what) {
  ExternalData::Range range;
  std::set<std::string_view> seen;
  for (const auto& entry : tensor.external_data()) {
    if (!seen.insert(entry.key()).second)
      raise(ErrorKind::Model,
            fmt::format("{}: external data states {} twice", what, quote(entry.key())));
    if (entry.key() == "location") range.location = entry.value();
    if (entry.key() == "offset") range.offset = parse_number(entry, what);
    if (entry.key() == "length") range.length = parse_number(entry, what);
  }
  return range;
}

/// Whether a byte is neither 0 nor 1. Such a bool must never reach C++; it means true.
bool has_odd_bools(std::span<const std::byte> bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
}

Tensor from_bytes(TensorType type, std::span<const std::byte> bytes,
                  const std::shared_ptr<const void>& owner) {
  if (type.element == ElementType::Bool && has_odd_bools(bytes)) {
    Tensor tensor = Tensor::uninitialised(std::move(type));
    std::transform(bytes.begin(), bytes.end(), tensor.mutable_bytes().begin(),
                   [](std::byte b) { return b == std::byte{0} ? std::byte{0} : std::byte{1}; });
    return tensor;
  }
  if (bytes.size() <= kLargestCopied) return Tensor::copy_of(std::move(type), bytes);
  return Tensor::borrow(std::move(type), bytes.data(), owner);
}

}  // namespace

void check_dims(const Dims& dims, const Quotas& quotas, const std::string& what) {
  if (static_cast<std::int64_t>(dims.size()) > quotas.rank)
    raise(ErrorKind::Quota, fmt::format("{} has {} dimensions, more than {} (quota 'rank')", what,
                                        dims.size(), quotas.rank));
  for (std::int64_t d : dims)
    if (d < 0) raise(ErrorKind::Model, fmt::format("{} has the dimension {}", what, d));
  const auto count =
      with_note([&] { return "while reading " + what; }, [&] { return element_count(dims); });
  if (count > quotas.elements)
    raise(ErrorKind::Quota, fmt::format("{} has {} elements, more than {} (quota 'elements')", what,
                                        count, quotas.elements));
}

Tensor TensorReader::read(const proto::TensorProto& tensor, const std::string& what) {
  Tensor& known = read_.at(tensor_index(tensor));
  if (!known.defined()) known = read_new(tensor, what);
  return known;
}

Tensor TensorReader::read_new(const proto::TensorProto& tensor, const std::string& what) {
  TensorType type;
  type.element = require_element(tensor.data_type(), what);
  type.dims.assign(tensor.dims().begin(), tensor.dims().end());
  check_dims(type.dims, quotas_, what);
  if (tensor.data_location() == proto::TensorProto::EXTERNAL)
    return read_external(tensor, std::move(type), what);
  const TensorData data = find_data(tensors_.at(tensor_index(tensor)), what);
  const bool as_in_memory =
      data.typed_runs == 1 &&
      (type.element == ElementType::F32 || type.element == ElementType::F64) &&
      data.typed_field == typed_field_of(type.element);
  const auto bytes = data.raw       ? *data.raw
                     : as_in_memory ? data.last_run
                                    : std::span<const std::byte>{};
  if (!data.raw && !as_in_memory) return decode_typed(data, std::move(type), what);
  if (bytes.size() != static_cast<std::size_t>(byte_size(type)))
    raise(ErrorKind::Model, fmt::format("{} has {} bytes of elements, expected {} for {}", what,
                                        bytes.size(), byte_size(type), to_string(type)));
  return from_bytes(std::move(type), bytes, owner_);
}

Tensor TensorReader::read_external(const proto::TensorProto& tensor, TensorType type,
                                   const std::string& what) {
  return with_note([&] { return "while reading " + what; },
                   [&] {
                     const auto read = external_.read(range_of(tensor, what), byte_size(type));
                     return from_bytes(std::move(type), read.bytes, read.owner);
                   });
}

}  // namespace braid::onnx
