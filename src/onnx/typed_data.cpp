#include "onnx/typed_data.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "onnx/wire.h"
#include "tensor/element.h"

namespace braid::onnx {
namespace {

constexpr std::uint32_t kFloatData = 4;
constexpr std::uint32_t kInt32Data = 5;
constexpr std::uint32_t kStringData = 6;
constexpr std::uint32_t kInt64Data = 7;
constexpr std::uint32_t kDoubleData = 10;
constexpr std::uint32_t kUint64Data = 11;

bool is_typed_list(std::uint32_t field) {
  return field == kFloatData || field == kInt32Data || field == kStringData ||
         field == kInt64Data || field == kDoubleData || field == kUint64Data;
}

[[noreturn]] void wrong_count(const TensorType& type, const std::string& what) {
  raise(ErrorKind::Model,
        fmt::format("{} has another number of elements than its type {}", what, to_string(type)));
}

/// Turns the number that a varint of the list holds into an element.
template <class T>
T from_varint(std::uint64_t varint, const std::string& what) {
  const auto number = static_cast<std::int64_t>(varint);
  bool fits = true;
  T element{};
  if constexpr (is_small_float<T>) {
    fits = number >= 0 && number <= std::numeric_limits<std::uint16_t>::max();
    element.bits = static_cast<std::uint16_t>(number);
  } else if constexpr (std::is_same_v<T, bool>) {
    fits = number == 0 || number == 1;
    element = number == 1;
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    element = varint;
  } else {
    fits = number >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
           number <= static_cast<std::int64_t>(std::numeric_limits<T>::max());
    element = static_cast<T>(number);
  }
  if (!fits)
    raise(ErrorKind::Model,
          fmt::format("{} has the element {}, which is out of range", what, number));
  return element;
}

/// Calls `each` with every field of the list.
template <class Each>
void for_each_run(const TensorData& data, Each&& each) {
  WireReader reader(data.message, data.message);
  while (const auto field = reader.next())
    if (field->number == data.typed_field) each(*field);
}

template <class T>
Tensor decode_varints(const TensorData& data, const TensorType& type, const std::string& what) {
  const auto wanted = static_cast<std::size_t>(element_count(type));
  // Each element takes at least a byte, so this is known before memory is asked for.
  if (wanted > data.typed_bytes) wrong_count(type, what);
  Tensor tensor = Tensor::uninitialised(type);
  const auto to = tensor.mutable_data<T>();
  std::size_t count = 0;
  const auto put = [&](std::uint64_t varint) {
    if (count == wanted) wrong_count(type, what);
    to[count++] = from_varint<T>(varint, what);
  };
  for_each_run(data, [&](const WireField& run) {
    if (run.type == WireType::Varint) return put(run.varint);
    if (run.type != WireType::Bytes) wrong_count(type, what);
    WireReader packed(run.bytes, data.message);
    while (!packed.done()) put(packed.varint());
  });
  if (count != wanted) wrong_count(type, what);
  return tensor;
}

Tensor decode_fixed(const TensorData& data, const TensorType& type, const std::string& what) {
  if (data.typed_bytes != static_cast<std::size_t>(byte_size(type))) wrong_count(type, what);
  Tensor tensor = Tensor::uninitialised(type);
  std::byte* to = tensor.mutable_bytes().data();
  for_each_run(data, [&](const WireField& run) {
    std::memcpy(to, run.bytes.data(), run.bytes.size());
    to += run.bytes.size();
  });
  return tensor;
}

}  // namespace

std::uint32_t typed_field_of(ElementType element) {
  switch (element) {
    case ElementType::F32:
      return kFloatData;
    case ElementType::F64:
      return kDoubleData;
    case ElementType::I64:
      return kInt64Data;
    case ElementType::U32:
    case ElementType::U64:
      return kUint64Data;
    default:
      return kInt32Data;
  }
}

TensorData find_data(std::span<const std::byte> message, const std::string& what) {
  TensorData data;
  data.message = message;
  WireReader reader(message, message);
  while (const auto field = reader.next()) {
    if (field->bytes.empty()) continue;
    if (field->number == kRawData && field->type == WireType::Bytes) data.raw = field->bytes;
    if (!is_typed_list(field->number)) continue;
    if (data.typed_field != 0 && data.typed_field != field->number)
      raise(ErrorKind::Model, fmt::format("{} has its elements in two fields", what));
    data.typed_field = field->number;
    ++data.typed_runs;
    data.typed_bytes += field->bytes.size();
    data.last_run = field->bytes;
  }
  if (data.raw && data.typed_field != 0)
    raise(ErrorKind::Model, fmt::format("{} has its elements both raw and in a typed list", what));
  return data;
}

Tensor decode_typed(const TensorData& data, TensorType type, const std::string& what) {
  if (data.typed_field != 0 && data.typed_field != typed_field_of(type.element))
    raise(ErrorKind::Model, fmt::format("{} has its elements in a list for another type than {}",
                                        what, name(type.element)));
  return dispatch(type.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>)
      return decode_fixed(data, type, what);
    else
      return decode_varints<T>(data, std::move(type), what);
  });
}

}  // namespace braid::onnx
