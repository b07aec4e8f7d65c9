#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/table.h"
#include "devices/open.h"
#include "ops/catalog.h"
#include "tensor/element.h"

namespace braid::cli {
namespace {

struct OperatorsArguments {
  std::string op;
  JsonOutput json;
};

std::vector<std::string_view> type_names(ElementSet types) {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ElementType::Bool); ++i)
    if (const auto type = static_cast<ElementType>(i); (types & set_of(type)) != 0)
      names.push_back(name(type));
  return names;
}

/// The sets that many operators share have names; the others are listed.
std::string types_in_words(ElementSet types) {
  if (types == kAnyElement) return "any";
  if (types == kNumbers) return "numbers";
  if (types == kSigned) return "signed numbers";
  if (types == kFloats) return "floats";
  return fmt::format("{}", fmt::join(type_names(types), " "));
}

std::string count_in_words(std::size_t least, std::size_t most) {
  if (most == kVariadic) return fmt::format("{} or more", least);
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

/// What runs an operator: "kernel", "reference", or for which types a kernel does.
std::string kernel_in_words(const OpDef& def, ElementSet types) {
  if (types == 0) return "reference";
  return types == def.types ? "kernel" : "kernel: " + types_in_words(types);
}

nlohmann::ordered_json to_json(const OpDef& def, const Device& cpu) {
  nlohmann::ordered_json row;
  row["name"] = def.name;
  row["domain"] = def.domain;
  row["versions"] = def.versions;
  row["types"] = type_names(def.types);
  row["inputs"] = count_in_words(def.min_inputs, def.max_inputs);
  row["outputs"] = count_in_words(def.min_outputs, def.max_outputs);
  auto attributes = nlohmann::ordered_json::array();
  for (const AttributeDef& attribute : def.attributes) attributes.push_back(attribute.name);
  row["attributes"] = attributes;
  row["cpu_kernel"] = cpu.kernel_types(def.name) != 0;
  row["cpu_kernel_types"] = type_names(cpu.kernel_types(def.name));
  row["special_numbers"] = def.special_numbers;
  return row;
}

std::vector<const OpDef*> chosen(const std::string& op) {
  if (!op.empty() && find_op(op) == nullptr) {
    std::vector<std::string> names;
    for (const OpDef& def : catalog()) names.emplace_back(def.name);
    raise(ErrorKind::Usage, fmt::format("there is no operator {}; `braid operators` lists all{}",
                                        quote(op), did_you_mean(op, names)));
  }
  std::vector<const OpDef*> defs;
  for (const OpDef& def : catalog())
    if (op.empty() || def.name == op) defs.push_back(&def);
  return defs;
}

int operators(const OperatorsArguments& options) {
  const auto defs = chosen(options.op);
  const std::unique_ptr<Device> cpu = open_device("cpu");
  if (options.json.wanted()) {
    auto rows = nlohmann::ordered_json::array();
    for (const OpDef* def : defs) rows.push_back(to_json(*def, *cpu));
    options.json.write(json_text({{"operators", rows}}));
  }
  if (options.json.replaces_text()) return 0;
  Table table({"operator", "ONNX versions", "inputs", "element types", "on cpu"});
  for (const OpDef* def : defs)
    table.add(
        {std::string(def->name),
         def->versions.empty() ? "Braid's own" : fmt::format("{}", fmt::join(def->versions, " ")),
         count_in_words(def->min_inputs, def->max_inputs), types_in_words(def->types),
         kernel_in_words(*def, cpu->kernel_types(def->name))});
  fmt::print("{}", table.text());
  return 0;
}

}  // namespace

Action configure_operators(OptionSet& add) {
  auto options = std::make_shared<OperatorsArguments>();
  add.text("NAME", options->op, "Only this operator", "");
  add.json(options->json, "Print JSON", ends_in_json);
  return [options] { return operators(*options); };
}

}  // namespace braid::cli
