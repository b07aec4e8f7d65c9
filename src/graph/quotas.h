#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace braid {

/// How much a model may ask for. Each is checked before the memory or time it guards is spent; what
/// goes beyond is an Error of kind Quota that names the quota. The defaults leave room for every
/// model we know.
struct Quotas {
  /// Memory that the parsed metadata (everything but weights) may take, as estimated beforehand.
  std::int64_t metadata_bytes = std::int64_t{1} << 30;
  /// Nodes in the file, and nodes after functions and branches are inlined.
  std::int64_t nodes = 2'000'000;
  /// Initialisers, and tensors in attributes.
  std::int64_t tensors = 1'000'000;
  /// Depth of graphs inside attributes of nodes, and of functions called by functions.
  std::int64_t nesting = 32;
  std::int64_t rank = 64;
  /// Elements of any one value.
  std::int64_t elements = std::int64_t{1} << 40;
  /// Bytes of any one name.
  std::int64_t name_bytes = 64 * 1024;
  /// Bytes of arena, inputs and outputs of a planned model. 0: what the machine has.
  std::int64_t memory_bytes = 0;
  /// Time from the graph to its Plan.
  std::int64_t planning_seconds = 3600;
};

/// What `memory_bytes` allows: the machine's memory if it is 0.
std::int64_t memory_limit(const Quotas& quotas);

struct QuotaRow {
  std::string_view name;
  std::int64_t Quotas::* member;
};

/// Every quota, in the order above.
std::span<const QuotaRow> quota_rows();

/// Throws Usage, listing the names, if there is no such quota or the limit is negative.
void set_quota(Quotas& quotas, std::string_view name, std::int64_t limit);

/// Sets the quota that "NAME=NUMBER" names; the number may end in K, M, G or T (1024 and its
/// powers). Throws Usage.
void set_quota(Quotas& quotas, std::string_view assignment);

}  // namespace braid
