#include "graph/quotas.h"

#include <array>
#include <charconv>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"

namespace braid {
namespace {

constexpr std::array kRows = {
    QuotaRow{"metadata_bytes", &Quotas::metadata_bytes},
    QuotaRow{"nodes", &Quotas::nodes},
    QuotaRow{"tensors", &Quotas::tensors},
    QuotaRow{"nesting", &Quotas::nesting},
    QuotaRow{"rank", &Quotas::rank},
    QuotaRow{"elements", &Quotas::elements},
    QuotaRow{"name_bytes", &Quotas::name_bytes},
    QuotaRow{"memory_bytes", &Quotas::memory_bytes},
    QuotaRow{"planning_seconds", &Quotas::planning_seconds},
};

std::int64_t parse_number(std::string_view text, std::string_view whole) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t unit = rest.empty() ? 0 : kUnits.find(rest[0]) + 1;
  if (problem != std::errc() || number < 0 || rest.size() > 1 || (!rest.empty() && unit == 0))
    raise(ErrorKind::Usage,
          fmt::format("{} sets no quota; write NAME=NUMBER, e.g. nodes=5000000 or memory_bytes=4G",
                      quote(whole)));
  return checked_mul(number, std::int64_t{1} << (10 * unit));
}

}  // namespace

std::int64_t memory_limit(const Quotas& quotas) {
  return quotas.memory_bytes > 0 ? quotas.memory_bytes : memory_of_machine();
}

std::span<const QuotaRow> quota_rows() { return kRows; }

void set_quota(Quotas& quotas, std::string_view name, std::int64_t limit) {
  std::vector<std::string> names;
  for (const QuotaRow& row : kRows) {
    if (row.name == name && limit >= 0) {
      quotas.*row.member = limit;
      return;
    }
    names.emplace_back(row.name);
  }
  raise(ErrorKind::Usage,
        fmt::format("quota {} cannot be {}; there are, from 0 on: {}{}", quote(name), limit,
                    fmt::join(names, ", "), did_you_mean(name, names)));
}

void set_quota(Quotas& quotas, std::string_view assignment) {
  const std::size_t split = std::min(assignment.find('='), assignment.size());
  const std::string_view number = assignment.substr(std::min(split + 1, assignment.size()));
  set_quota(quotas, assignment.substr(0, split), parse_number(number, assignment));
}

}  // namespace braid
