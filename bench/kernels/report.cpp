#include "report.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace braid::kernels_bench {
namespace {

constexpr std::size_t kColumns = 8;
using Row = std::array<std::string, kColumns>;
/// Texts lean left, numbers right.
constexpr std::array kIsNumber = {false, false, true, true, true, true, true, false};

double gflops(const Product& product, const WayTimes& times) {
  return product.flops / times.best_us / 1e3;
}

std::string uses_of(const Product& product) {
  std::string text;
  for (const auto& [model, times] : product.uses)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", model,
                        times > 1 ? fmt::format(" x {}", times) : "");
  return text;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

void add_rows(const Product& product, const std::vector<WayTimes>& ways, double peak,
              double moving_us, std::vector<Row>& rows) {
  bool is_first = true;
  for (const WayTimes& times : ways) {
    rows.push_back({is_first ? product.text : "", times.way + (times.taken ? " *" : ""),
                    fmt::format("{:.1f}", times.best_us), fmt::format("{:.1f}", times.median_us),
                    fmt::format("{:.1f}", gflops(product, times)),
                    percent(gflops(product, times) / peak),
                    moving_us > 0 ? percent(moving_us / times.best_us) : "",
                    is_first ? uses_of(product) : ""});
    is_first = false;
  }
}

std::string line_of(const Row& row, const std::array<std::size_t, kColumns>& widths) {
  std::string line;
  for (std::size_t i = 0; i < kColumns; ++i) {
    line += i > 0 ? "  " : "";
    line += kIsNumber[i] ? fmt::format("{:>{}}", row[i], widths[i])
                         : fmt::format("{:<{}}", row[i], widths[i]);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string table(const Products& products, const Results& results) {
  std::vector<Row> rows = {
      {"operator", "way", "best us", "median us", "GFLOP/s", "of peak", "of moving", "used by"}};
  for (std::size_t i = 0; i < products.all.size(); ++i)
    add_rows(products.all[i], results.times[i], results.peak_gflops, results.moving_us[i], rows);
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) text += line_of(row, widths);
  return text;
}

nlohmann::ordered_json json_of(const Products& products, const Results& results) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < products.all.size(); ++i) {
    const Product& product = products.all[i];
    nlohmann::ordered_json ways = nlohmann::ordered_json::array();
    for (const WayTimes& times : results.times[i]) {
      ways.push_back({{"way", times.way},
                      {"best_us", times.best_us},
                      {"median_us", times.median_us},
                      {"gflops", gflops(product, times)},
                      {"share_of_peak", gflops(product, times) / results.peak_gflops},
                      {"taken", times.taken}});
      if (results.moving_us[i] > 0)
        ways.back()["share_of_moving"] = results.moving_us[i] / times.best_us;
    }
    rows.push_back({{"operator", product.text},
                    {"flops", product.flops},
                    {"uses", product.uses},
                    {"ways", std::move(ways)}});
  }
  return rows;
}

}  // namespace braid::kernels_bench
