#include "cli/survey_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/sort_by.h"
#include "base/text.h"
#include "cli/table.h"

namespace braid::cli {
namespace {

std::int64_t nodes_of(const onnx::Survey& model) {
  std::int64_t nodes = 0;
  for (const auto& [op, count] : model.operator_counts) nodes += count;
  return nodes;
}

nlohmann::ordered_json values_json(const std::vector<onnx::DeclaredValue>& values) {
  auto rows = nlohmann::ordered_json::array();
  for (const onnx::DeclaredValue& value : values) {
    nlohmann::ordered_json shape = nullptr;
    if (value.shaped) shape = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < value.dims.size(); ++i) {
      if (value.dims[i] >= 0)
        shape.push_back(value.dims[i]);
      else
        shape.push_back(value.symbols[i].empty() ? "?" : value.symbols[i]);
    }
    rows.push_back({{"name", value.name}, {"type", value.type}, {"shape", shape}});
  }
  return rows;
}

std::string domain_in_words(const onnx::Refusal& refusal) {
  if (refusal.kind != onnx::Refusal::Kind::Operator && refusal.kind != onnx::Refusal::Kind::Use)
    return "";
  return refusal.domain.empty() ? "ai.onnx" : refusal.domain;
}

nlohmann::ordered_json refusals_json(const std::vector<onnx::Refusal>& refusals) {
  auto rows = nlohmann::ordered_json::array();
  for (const onnx::Refusal& refusal : refusals)
    rows.push_back({{"kind", onnx::name(refusal.kind)},
                    {"what", refusal.what},
                    {"domain", domain_in_words(refusal)},
                    {"count", refusal.count},
                    {"first", refusal.first},
                    {"reason", refusal.reason},
                    {"advice", refusal.advice}});
  return rows;
}

nlohmann::ordered_json survey_json(const onnx::Survey& model) {
  nlohmann::ordered_json out;
  out["name"] = model.name;
  out["opset"] = model.opset;
  out["parameters"] = model.parameters;
  out["nodes"] = nodes_of(model);
  out["inputs"] = values_json(model.inputs);
  auto outputs = nlohmann::ordered_json::array();
  for (const onnx::DeclaredValue& output : model.outputs) outputs.push_back(output.name);
  out["outputs"] = outputs;
  out["operator_counts"] = model.operator_counts;
  if (!model.refusals.empty()) out["unsupported"] = refusals_json(model.refusals);
  if (!model.open.empty()) out["open"] = model.open;
  return out;
}

void print_declared(const char* label, const std::vector<onnx::DeclaredValue>& values) {
  for (const onnx::DeclaredValue& value : values)
    fmt::print("{:<12}{}  {}\n", label, printable(value.name), onnx::type_text(value));
}

void print_refusals(const std::vector<onnx::Refusal>& refusals) {
  Table table({"not supported", "domain", "times", "first", "because"});
  for (const onnx::Refusal& refusal : refusals)
    table.add({printable(refusal.what), printable(domain_in_words(refusal)), grouped(refusal.count),
               printable(refusal.first, 40), printable(refusal.reason, 1000)});
  fmt::print("\n{}", table.text());
  std::vector<std::pair<std::string, std::string>> advice;
  for (const onnx::Refusal& refusal : refusals) {
    if (refusal.advice.empty()) continue;
    const auto same =
        std::ranges::find(advice, refusal.advice, &std::pair<std::string, std::string>::first);
    if (same == advice.end())
      advice.emplace_back(refusal.advice, refusal.what);
    else if (same->second.size() < 200)
      same->second += ", " + refusal.what;
  }
  if (!advice.empty()) fmt::print("\nWhat helps:\n");
  for (const auto& [help, what] : advice)
    fmt::print("  {}: {}\n", printable(what, 300), printable(help, 1000));
}

}  // namespace

std::string counts_table(const std::map<std::string, std::int64_t>& counts) {
  std::vector<std::pair<std::string, std::int64_t>> rows(counts.begin(), counts.end());
  sort_by(rows, [](const auto& row) { return -row.second; });
  Table table({"operator", "nodes"});
  for (const auto& [op, count] : rows) table.add({printable(op), grouped(count)});
  return table.text();
}

void print_survey(const onnx::Survey& model, const JsonOutput& json) {
  if (json.wanted()) json.write(json_text(survey_json(model)));
  if (json.replaces_text()) return;
  if (!model.name.empty()) fmt::print("{:<12}{}\n", "model", printable(model.name));
  if (model.opset > 0) fmt::print("{:<12}{}\n", "opset", model.opset);
  print_declared("input", model.inputs);
  print_declared("output", model.outputs);
  fmt::print("{:<12}{:.3f} M\n", "parameters", static_cast<double>(model.parameters) / 1e6);
  fmt::print("{:<12}{}\n\n", "operators", counted(nodes_of(model), "node"));
  fmt::print("{}", counts_table(model.operator_counts));
  if (!model.refusals.empty()) print_refusals(model.refusals);
  if (!model.open.empty())
    fmt::print("\nSizes, work, depth and width are known once no dimension is open:\n{}\n",
               model.open);
}

std::string refusals_in_short(const std::vector<onnx::Refusal>& refusals) {
  constexpr std::size_t kMostNames = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(refusals.size(), kMostNames); ++i)
    names += (i > 0 ? ", " : "") + printable(refusals[i].what, 60);
  if (refusals.size() > kMostNames)
    names += fmt::format(" and {} more", refusals.size() - kMostNames);
  return names;
}

}  // namespace braid::cli
