#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <braid/export.h>

namespace braid {

enum class ElementType : std::uint8_t {
  F32,
  F64,
  F16,
  BF16,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Bool
};

/// IEEE binary16 and bfloat16 as stored; arithmetic happens in float.
struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

/// "f32", "i64", "bool": the names of the text form.
BRAID_API std::string_view name(ElementType type);
BRAID_API std::int64_t byte_size(ElementType type);

using Dims = std::vector<std::int64_t>;

/// The number of elements of a shape. Throws Quota if it, or its size in 8-byte elements, does not
/// fit 63 bits.
BRAID_API std::int64_t element_count(const Dims& dims);

struct TensorType {
  ElementType element = ElementType::F32;
  Dims dims;

  bool operator==(const TensorType&) const = default;
};

BRAID_API std::int64_t element_count(const TensorType& type);
BRAID_API std::int64_t byte_size(const TensorType& type);
/// "f32[1,3,224,224]"
BRAID_API std::string to_string(const TensorType& type);
BRAID_API std::string to_string(const Dims& dims);

template <class T>
struct ElementOf;
template <>
struct ElementOf<float> {
  static constexpr auto value = ElementType::F32;
};
template <>
struct ElementOf<double> {
  static constexpr auto value = ElementType::F64;
};
template <>
struct ElementOf<Float16> {
  static constexpr auto value = ElementType::F16;
};
template <>
struct ElementOf<BFloat16> {
  static constexpr auto value = ElementType::BF16;
};
template <>
struct ElementOf<std::int8_t> {
  static constexpr auto value = ElementType::I8;
};
template <>
struct ElementOf<std::int16_t> {
  static constexpr auto value = ElementType::I16;
};
template <>
struct ElementOf<std::int32_t> {
  static constexpr auto value = ElementType::I32;
};
template <>
struct ElementOf<std::int64_t> {
  static constexpr auto value = ElementType::I64;
};
template <>
struct ElementOf<std::uint8_t> {
  static constexpr auto value = ElementType::U8;
};
template <>
struct ElementOf<std::uint16_t> {
  static constexpr auto value = ElementType::U16;
};
template <>
struct ElementOf<std::uint32_t> {
  static constexpr auto value = ElementType::U32;
};
template <>
struct ElementOf<std::uint64_t> {
  static constexpr auto value = ElementType::U64;
};
template <>
struct ElementOf<bool> {
  static constexpr auto value = ElementType::Bool;
};

/// A dense row-major array: a type and shared bytes. Copies share the bytes; only the code that
/// made the tensor writes them, before it is shared. Reading from several threads is safe.
class BRAID_API Tensor {
 public:
  /// No tensor: an absent optional input.
  Tensor() = default;

  /// A tensor with new bytes, aligned to 64. Throws Quota when there is no memory.
  static Tensor uninitialised(TensorType type);
  static Tensor zeros(TensorType type);
  /// A tensor on bytes that live elsewhere (a mapped file, a caller's array) as long as `owner`
  /// does. They may be unaligned. Truth values other than 0 and 1 are copied as 1.
  static Tensor borrow(TensorType type, const std::byte* bytes, std::shared_ptr<const void> owner);

  template <class T>
  static Tensor of(Dims dims, std::span<const T> elements) {
    return copy_of({ElementOf<T>::value, std::move(dims)}, std::as_bytes(elements));
  }
  template <class T>
  static Tensor of(Dims dims, std::initializer_list<T> elements) {
    return of(std::move(dims), std::span<const T>(elements.begin(), elements.size()));
  }
  template <class T>
  static Tensor scalar(T element) {
    return of<T>({}, std::span<const T>(&element, 1));
  }
  static Tensor copy_of(TensorType type, std::span<const std::byte> bytes);

  /// A tensor whose bytes are made when they are first read, once for all copies, by a function
  /// that gives a tensor of that type. Reading may then throw what the function throws.
  static Tensor promised(TensorType type, std::function<Tensor()> make);
  /// A matrix with rows and columns exchanged, promised by such a function. Whoever can read
  /// `matrix` in its place need not have it made.
  static Tensor turned(Tensor matrix, std::function<Tensor()> make);

  bool defined() const { return data_ != nullptr || promise_ != nullptr; }
  /// Whether the bytes are still to be made.
  bool is_promised() const;
  /// The matrix that was turned; no tensor if this is none that was.
  Tensor turned_from() const;
  const TensorType& type() const { return type_; }
  ElementType element() const { return type_.element; }
  const Dims& dims() const { return type_.dims; }
  std::int64_t elements() const { return element_count(type_); }

  std::span<const std::byte> bytes() const;
  std::span<std::byte> mutable_bytes();

  /// The elements. Throws Internal if T is not the element type or the bytes are not aligned for it
  /// (see aligned()).
  template <class T>
  std::span<const T> data() const {
    require(ElementOf<T>::value, alignof(T));
    return {reinterpret_cast<const T*>(start()), static_cast<std::size_t>(elements())};
  }
  /// The elements, to be written: only by the maker of the tensor, before it is shared.
  template <class T>
  std::span<T> mutable_data() {
    require(ElementOf<T>::value, alignof(T));
    return {reinterpret_cast<T*>(mutable_bytes().data()), static_cast<std::size_t>(elements())};
  }

  /// This tensor, or a copy of it in aligned memory if its bytes are not aligned to the element
  /// size.
  Tensor aligned() const;
  /// The same bytes under another shape with as many elements.
  Tensor reshaped(Dims dims) const;

 private:
  struct Promise;

  /// The first byte, made if it was only promised.
  const std::byte* start() const;
  void require(ElementType element, std::size_t alignment) const;

  TensorType type_;
  std::shared_ptr<const std::byte> data_;
  std::shared_ptr<Promise> promise_;  // instead of data_
  bool writable_ = false;
};

/// Whether both have the same type and the same bytes.
BRAID_API bool identical(const Tensor& a, const Tensor& b);

}  // namespace braid
