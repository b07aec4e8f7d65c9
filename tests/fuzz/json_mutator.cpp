#include "tests/fuzz/json_mutator.h"

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace braid::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::int64_t, 12> kNumbers = {
    0, 1, -1, 2, 3, 63, 64, 128, 4096, 2147483647, 2147483648, INT64_MAX};

void collect(Json& json, std::vector<Json*>& all) {
  all.push_back(&json);
  for (std::size_t at = 0; at < all.size(); ++at)
    if (all[at]->is_structured())
      for (Json& child : *all[at]) all.push_back(&child);
}

class Mutation {
 public:
  Mutation(Json& root, std::mt19937& random) : random_(random) { collect(root, all_); }

  void run() {
    Json& chosen = *all_[below(all_.size())];
    if (chosen.is_number_integer())
      chosen = number(chosen.get<std::int64_t>());
    else if (chosen.is_string())
      chosen = text();
    else if (chosen.is_array())
      change_array(chosen);
    else if (chosen.is_object() && !chosen.empty())
      change_object(chosen);
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  /// One of the odd ones, or a neighbour of the old one that is aligned as offsets are.
  std::int64_t number(std::int64_t old) {
    if (below(2) == 0) return kNumbers[below(kNumbers.size())];
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(old) / 64 * 64 + 64 * below(5) -
                                     128);
  }

  Json text() {
    for (int tries = 0; tries < 50; ++tries)
      if (const Json& other = *all_[below(all_.size())]; other.is_string()) return other;
    return "";
  }

  void change_array(Json& array) {
    if (array.empty() || below(4) == 0) {
      Json copy = *all_[below(all_.size())];
      array.push_back(std::move(copy));
      return;
    }
    const std::size_t at = below(array.size());
    if (below(3) == 0)
      array.erase(at);
    else
      std::swap(array[at], array[below(array.size())]);
  }

  void change_object(Json& object) {
    constexpr std::array keys = {"waits", "scratch", "part",   "parts", "axis",
                                 "grain", "strides", "offset", "node"};
    if (below(2) == 0) {
      auto at = object.begin();
      std::advance(at, below(object.size()));
      object.erase(at);
    } else if (below(2) == 0) {
      object[keys[below(keys.size())]] = static_cast<std::int64_t>(below(4));
    } else {
      object["waits"] = Json::array({text()});
    }
  }

  std::vector<Json*> all_;
  std::mt19937& random_;
};

}  // namespace

std::size_t mutate_json_bytes(std::uint8_t* data, std::size_t size, std::size_t most,
                              unsigned seed) {
  std::mt19937 random(seed);
  Json json =
      size > 1 && random() % 8 != 0 ? Json::parse(data + 1, data + size, nullptr, false) : Json();
  if (!json.is_structured()) return LLVMFuzzerMutate(data, size, most);
  for (std::size_t i = random() % 3 + 1; i-- > 0;) Mutation(json, random).run();
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() + 1 > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data + 1, text.data(), text.size());
  return text.size() + 1;
}

}  // namespace braid::fuzz
