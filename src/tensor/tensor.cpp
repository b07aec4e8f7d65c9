#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <braid/tensor.h>

#include "base/checked.h"
#include "base/memory.h"
#include "tensor/passing_tensors.h"

namespace braid {
namespace {

constexpr std::size_t kAlignment = 64;

/// Whether this thread makes what was promised. The large tensors on the way there come and go
/// once: in a heap they would leave holes, which stay with the process.
thread_local bool makes_promised = false;
constexpr std::size_t kLargeOnTheWay = std::size_t{1} << 18;

class MakingPromised {
 public:
  MakingPromised() { makes_promised = true; }
  ~MakingPromised() { makes_promised = before_; }
  MakingPromised(const MakingPromised&) = delete;
  MakingPromised& operator=(const MakingPromised&) = delete;

 private:
  bool before_ = makes_promised;
};

/// Pages of their own, which go back to the system. Null if there are none.
std::shared_ptr<const std::byte> allocate_apart(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  return {static_cast<const std::byte*>(memory),
          [size](const std::byte* p) { munmap(const_cast<std::byte*>(p), size); }};
}

std::shared_ptr<const std::byte> allocate_in_heap(std::size_t size) {
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, size));
  if (memory == nullptr) return nullptr;
  return {memory, [](const std::byte* p) { std::free(const_cast<std::byte*>(p)); }};
}

std::shared_ptr<const std::byte> allocate(std::int64_t bytes) {
  const auto size = (static_cast<std::size_t>(bytes) + kAlignment) / kAlignment * kAlignment;
  const bool apart = makes_promised && size >= kLargeOnTheWay;
  // A system that promises more memory than it has kills the process that touches it.
  auto memory = bytes > memory_of_machine() ? nullptr
                : apart                     ? allocate_apart(size)
                                            : allocate_in_heap(size);
  if (memory == nullptr)
    raise(ErrorKind::Quota, fmt::format("no memory for a tensor of {} bytes", bytes));
  return memory;
}

/// Bytes from outside may hold truth values other than 0 and 1, which C++ does not allow.
bool has_odd_truth(const TensorType& type, const std::byte* bytes) {
  return type.element == ElementType::Bool && bytes != nullptr &&
         std::any_of(bytes, bytes + byte_size(type), [](std::byte b) { return b > std::byte{1}; });
}

}  // namespace

std::int64_t element_count(const Dims& dims) {
  std::int64_t count = 1;
  bool empty = false;
  for (std::int64_t d : dims) {
    if (d < 0) raise(ErrorKind::Model, fmt::format("a shape has the negative dimension {}", d));
    if (d == 0)
      empty = true;
    else if (__builtin_mul_overflow(count, d, &count) ||
             count > std::numeric_limits<std::int64_t>::max() / 8)
      raise(ErrorKind::Quota,
            fmt::format("a tensor of shape {} has too many elements", to_string(dims)));
  }
  return empty ? 0 : count;
}

std::int64_t element_count(const TensorType& type) { return element_count(type.dims); }
std::int64_t byte_size(const TensorType& type) {
  return element_count(type.dims) * byte_size(type.element);
}

std::string to_string(const Dims& dims) { return fmt::format("[{}]", fmt::join(dims, ",")); }
std::string to_string(const TensorType& type) {
  return fmt::format("{}{}", name(type.element), to_string(type.dims));
}

Tensor Tensor::uninitialised(TensorType type) {
  Tensor tensor;
  tensor.data_ = allocate(byte_size(type));
  tensor.type_ = std::move(type);
  tensor.writable_ = true;
  return tensor;
}

Tensor Tensor::zeros(TensorType type) {
  Tensor tensor = uninitialised(std::move(type));
  std::memset(tensor.mutable_bytes().data(), 0, tensor.bytes().size());
  return tensor;
}

Tensor Tensor::borrow(TensorType type, const std::byte* bytes, std::shared_ptr<const void> owner) {
  alignas(kAlignment) static const std::byte nothing{};
  if (has_odd_truth(type, bytes))
    return copy_of(type, {bytes, static_cast<std::size_t>(byte_size(type))});
  Tensor tensor;
  tensor.type_ = std::move(type);
  tensor.data_ =
      std::shared_ptr<const std::byte>(std::move(owner), bytes == nullptr ? &nothing : bytes);
  return tensor;
}

Tensor Tensor::copy_of(TensorType type, std::span<const std::byte> bytes) {
  if (static_cast<std::int64_t>(bytes.size()) != byte_size(type))
    raise(ErrorKind::Internal,
          fmt::format("{} bytes given for a tensor of type {}", bytes.size(), to_string(type)));
  Tensor tensor = uninitialised(std::move(type));
  const auto to = tensor.mutable_bytes();
  if (has_odd_truth(tensor.type(), bytes.data()))
    std::transform(bytes.begin(), bytes.end(), to.begin(),
                   [](std::byte b) { return b == std::byte{0} ? b : std::byte{1}; });
  else if (!bytes.empty())
    std::memcpy(to.data(), bytes.data(), bytes.size());
  return tensor;
}

struct Tensor::Promise {
  std::mutex mutex;
  std::function<Tensor()> make;  // empty once it is kept
  Tensor made;
  Tensor turned_from;

  /// How it is made; empty once it is kept.
  std::function<Tensor()> recipe() {
    const std::lock_guard lock(mutex);
    return make;
  }

  const Tensor& keep() {
    const std::lock_guard lock(mutex);
    if (make) {
      const MakingPromised making;
      made = make().aligned();
      make = nullptr;  // and what it was made of
    }
    return made;
  }
};

Tensor Tensor::promised(TensorType type, std::function<Tensor()> make) {
  element_count(type);
  Tensor tensor;
  tensor.promise_ = std::make_shared<Promise>();
  tensor.promise_->make = [type, make = std::move(make)] {
    Tensor made = make();
    if (made.type() != type)
      raise(ErrorKind::Internal,
            fmt::format("a tensor of type {} was promised and one of type {} made", to_string(type),
                        to_string(made.type())));
    return made;
  };
  tensor.type_ = std::move(type);
  return tensor;
}

Tensor Tensor::turned(Tensor matrix, std::function<Tensor()> make) {
  braid::require(matrix.dims().size() == 2, "only a matrix can be turned");
  Tensor tensor =
      promised({matrix.element(), {matrix.dims()[1], matrix.dims()[0]}}, std::move(make));
  tensor.promise_->turned_from = std::move(matrix);
  return tensor;
}

Tensor Tensor::turned_from() const {
  // A reshape of it is no matrix that was turned.
  const bool is_turned = promise_ != nullptr && promise_->turned_from.defined() &&
                         type_.dims.size() == 2 && type_.dims[0] == promise_->turned_from.dims()[1];
  return is_turned ? promise_->turned_from : Tensor();
}

bool Tensor::is_promised() const {
  if (promise_ == nullptr) return false;
  const std::lock_guard lock(promise_->mutex);
  return static_cast<bool>(promise_->make);
}

const std::byte* Tensor::start() const {
  if (promise_ == nullptr) return data_.get();
  if (PassingTensors* passing = PassingTensors::of_thread())
    if (const auto recipe = promise_->recipe()) {
      const MakingPromised making;
      return passing->made(promise_, recipe).start();
    }
  return promise_->keep().start();
}

std::span<const std::byte> Tensor::bytes() const {
  if (!defined()) return {};
  return {start(), static_cast<std::size_t>(byte_size(type_))};
}

std::span<std::byte> Tensor::mutable_bytes() {
  braid::require(writable_, "writing to a tensor that is not ours");
  return {const_cast<std::byte*>(data_.get()), static_cast<std::size_t>(byte_size(type_))};
}

Tensor Tensor::aligned() const {
  if (reinterpret_cast<std::uintptr_t>(start()) %
          static_cast<std::uintptr_t>(byte_size(type_.element)) ==
      0)
    return *this;
  return copy_of(type_, bytes());
}

Tensor Tensor::reshaped(Dims dims) const {
  braid::require(element_count(dims) == elements(), "a reshape keeps the number of elements");
  Tensor tensor = *this;
  tensor.type_.dims = std::move(dims);
  tensor.writable_ = false;
  return tensor;
}

void Tensor::require(ElementType element, std::size_t alignment) const {
  if (element != type_.element)
    raise(ErrorKind::Internal,
          fmt::format("a tensor of type {} read as {}", to_string(type_), name(element)));
  braid::require(reinterpret_cast<std::uintptr_t>(start()) % alignment == 0,
                 "an unaligned tensor was read");
}

bool identical(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || a.defined() != b.defined()) return false;
  const auto x = a.bytes();
  const auto y = b.bytes();
  return x.empty() || x.data() == y.data() || std::memcmp(x.data(), y.data(), x.size()) == 0;
}

}  // namespace braid
