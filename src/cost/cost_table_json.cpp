#include "cost/cost_table_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"

namespace braid {
namespace {

constexpr std::string_view kFormat = "braid-costs";
constexpr int kTableVersion = 1;
constexpr double kLongest_us = 1e12;
constexpr double kShortest_us = 1e-6;

Measurement read_row(const JsonPlace& row) {
  row.expect_keys({"signature", "op", "time_us", "time_beside_us", "modelled_us", "samples"});
  Measurement result;
  result.op = row["op"].text();
  result.time_us = row["time_us"].real(kShortest_us, kLongest_us);
  result.time_beside_us = row["time_beside_us"].real(kShortest_us, kLongest_us);
  result.modelled_us = row["modelled_us"].real(0, kLongest_us);
  result.samples = static_cast<int>(row["samples"].integer(1, 1'000'000'000));
  return result;
}

}  // namespace

std::string to_json(const CostTable& table, std::string_view conditions) {
  std::string text =
      fmt::format("{{\n  \"format\": \"{}\",\n  \"version\": {},\n  \"conditions\": {},\n", kFormat,
                  kTableVersion, one_line(std::string(conditions)));
  text += "  \"costs\": [";
  bool first = true;
  for (const auto& [signature, row] : table.entries()) {
    nlohmann::ordered_json line;
    line["op"] = row.op;
    line["time_us"] = row.time_us;
    line["time_beside_us"] = row.time_beside_us;
    line["modelled_us"] = row.modelled_us;
    line["samples"] = row.samples;
    line["signature"] = signature;
    text += (first ? "\n    " : ",\n    ") + one_line(line);
    first = false;
  }
  return text + "\n  ]\n}\n";
}

CostTable cost_table_from_json(std::string_view text, std::shared_ptr<const CostModel> otherwise) {
  const nlohmann::json json = parse_json(text);
  const JsonPlace root(json);
  root.expect_keys({"format", "version", "conditions", "costs"});
  if (root["format"].text() != kFormat)
    root["format"].fail(
        fmt::format("expected '{}', got {}", kFormat, quote(root["format"].text())));
  root["version"].integer(kTableVersion, kTableVersion);
  root["conditions"].text();
  CostTable table(std::move(otherwise));
  const JsonPlace rows = root["costs"];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const JsonPlace row = rows.at(i);
    Measurement measurement = read_row(row);
    const std::string signature = row["signature"].text();
    if (table.find(signature) != nullptr)
      row["signature"].fail("this signature is there already: " + quote(signature));
    table.add(signature, std::move(measurement));
  }
  return table;
}

}  // namespace braid
