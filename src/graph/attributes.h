#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <braid/tensor.h>

namespace braid {

class Hasher;

using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                               std::vector<float>, std::vector<std::string>, Tensor>;

bool operator==(const Tensor& a, const Tensor& b);

/// The attributes of a node, sorted by name. The getters throw Model, naming the attribute, if it
/// has another kind.
class Attributes {
 public:
  using Entry = std::pair<std::string, Attribute>;

  Attributes() = default;
  Attributes(std::initializer_list<Entry> entries);

  void set(std::string_view name, Attribute value);
  void erase(std::string_view name);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const Attribute* find(std::string_view name) const;

  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  float real(std::string_view name, float otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  /// The attribute as a list; a single integer counts as a list of one.
  std::vector<std::int64_t> integers(std::string_view name,
                                     std::vector<std::int64_t> otherwise = {}) const;
  std::vector<float> reals(std::string_view name, const std::vector<float>& otherwise = {}) const;
  std::vector<std::string> texts(std::string_view name) const;
  /// The attribute; undefined if absent.
  Tensor tensor(std::string_view name) const;

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  bool operator==(const Attributes&) const = default;

 private:
  std::vector<Entry> entries_;
};

/// "an integer", "a list of integers", …: for messages.
std::string_view kind_of(const Attribute& attribute);
void add_to_hash(Hasher& hasher, const Attributes& attributes);

}  // namespace braid
