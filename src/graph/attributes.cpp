#include "graph/attributes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error.h"
#include "base/hash.h"

namespace braid {
namespace {

constexpr std::array<std::string_view, 7> kKinds = {
    "an integer",        "a number",        "a text",  "a list of integers",
    "a list of numbers", "a list of texts", "a tensor"};

template <class T>
const T& as(std::string_view name, const Attribute& attribute) {
  if (const T* value = std::get_if<T>(&attribute)) return *value;
  raise(ErrorKind::Model, fmt::format("attribute '{}' is {}, expected {}", name, kind_of(attribute),
                                      kKinds[Attribute(T{}).index()]));
}

struct AddToHash {
  Hasher& hasher;

  void operator()(std::int64_t x) { hasher.add(x); }
  void operator()(float x) { hasher.add(x); }
  void operator()(const std::string& x) { hasher.add(std::string_view(x)); }
  template <class T>
  void operator()(const std::vector<T>& list) {
    hasher.add(list.size());
    for (const T& x : list) (*this)(x);
  }
  void operator()(const Tensor& x) {
    hasher.add(std::string_view(to_string(x.type())));
    hasher.add(hash_bytes(x.bytes()));
  }
};

}  // namespace

bool operator==(const Tensor& a, const Tensor& b) { return identical(a, b); }

std::string_view kind_of(const Attribute& attribute) { return kKinds[attribute.index()]; }

Attributes::Attributes(std::initializer_list<Entry> entries) {
  for (const Entry& entry : entries) set(entry.first, entry.second);
}

void Attributes::set(std::string_view name, Attribute value) {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), name,
                                   [](const Entry& e, auto n) { return e.first < n; });
  if (at != entries_.end() && at->first == name)
    at->second = std::move(value);
  else
    entries_.emplace(at, std::string(name), std::move(value));
}

void Attributes::erase(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& e) { return e.first == name; });
}

const Attribute* Attributes::find(std::string_view name) const {
  const auto at = std::find_if(entries_.begin(), entries_.end(),
                               [&](const Entry& e) { return e.first == name; });
  return at == entries_.end() ? nullptr : &at->second;
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t otherwise) const {
  const Attribute* found = find(name);
  return found == nullptr ? otherwise : as<std::int64_t>(name, *found);
}

float Attributes::real(std::string_view name, float otherwise) const {
  const Attribute* found = find(name);
  return found == nullptr ? otherwise : as<float>(name, *found);
}

std::string Attributes::text(std::string_view name, std::string_view otherwise) const {
  const Attribute* found = find(name);
  return found == nullptr ? std::string(otherwise) : as<std::string>(name, *found);
}

std::vector<std::int64_t> Attributes::integers(std::string_view name,
                                               std::vector<std::int64_t> otherwise) const {
  const Attribute* found = find(name);
  if (found == nullptr) return otherwise;
  if (const auto* one = std::get_if<std::int64_t>(found)) return {*one};
  return as<std::vector<std::int64_t>>(name, *found);
}

std::vector<float> Attributes::reals(std::string_view name,
                                     const std::vector<float>& otherwise) const {
  const Attribute* found = find(name);
  return found == nullptr ? otherwise : as<std::vector<float>>(name, *found);
}

std::vector<std::string> Attributes::texts(std::string_view name) const {
  const Attribute* found = find(name);
  return found == nullptr ? std::vector<std::string>{} : as<std::vector<std::string>>(name, *found);
}

Tensor Attributes::tensor(std::string_view name) const {
  const Attribute* found = find(name);
  return found == nullptr ? Tensor{} : as<Tensor>(name, *found);
}

void add_to_hash(Hasher& hasher, const Attributes& attributes) {
  hasher.add(attributes.size());
  for (const auto& [name, value] : attributes) {
    hasher.add(std::string_view(name));
    hasher.add(value.index());
    std::visit(AddToHash{hasher}, value);
  }
}

}  // namespace braid
