#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace braid {

/// A set of integers below the size with which it was made.
class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(std::size_t size) : words_((size + 63) / 64) {}

  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void erase(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  bool contains(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }

  BitSet& operator|=(const BitSet& other) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    return *this;
  }
  bool intersects(const BitSet& other) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      if ((words_[w] & other.words_[w]) != 0) return true;
    return false;
  }
  std::size_t count() const {
    std::size_t n = 0;
    for (std::uint64_t w : words_) n += static_cast<std::size_t>(std::popcount(w));
    return n;
  }
  bool operator==(const BitSet&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace braid
