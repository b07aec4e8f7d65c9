#include "shared/document.h"

#include <fstream>

#include <fmt/format.h>
#include <sched.h>

#include "base/json.h"
#include "base/output_file.h"

namespace braid::bench {
namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

int cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

}  // namespace

nlohmann::ordered_json document_head(const std::string& benchmark, int count, char** arguments) {
  std::string command;
  for (int i = 0; i < count; ++i) command += (i > 0 ? " " : "") + std::string(arguments[i]);
  return {{"benchmark", benchmark}, {"version", BRAID_VERSION}, {"command", command},
          {"cpu", cpu_name()},      {"cores", cores()},         {"simulated", true}};
}

void write_document(const nlohmann::ordered_json& document, const std::string& path) {
  const std::string text = json_text(document);
  if (path == "-")
    fmt::print("{}", text);
  else
    write_file(path, text);
}

}  // namespace braid::bench
