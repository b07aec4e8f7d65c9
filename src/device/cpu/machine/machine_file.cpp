#include "device/cpu/machine/machine_file.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/text.h"

namespace braid::cpu {
namespace {

constexpr const char* kMachineFormat = "braid-machine";
constexpr std::int64_t kBytesOfLine = 64;

/// A size that a machine has, and what it may be: kernels divide by what they take of it.
struct SizeField {
  const char* key;
  std::int64_t Machine::* field;
  std::int64_t least;
  std::int64_t most;
};
constexpr std::array kSizeFields = {
    SizeField{"family", &Machine::family, 0, 1 << 16},
    SizeField{"model", &Machine::model, 0, 1 << 16},
    SizeField{"first_level_bytes", &Machine::first_level_bytes, 1 << 13, 1 << 20},
    SizeField{"first_level_ways", &Machine::first_level_ways, 1, 1 << 7},
    SizeField{"second_level_bytes", &Machine::second_level_bytes, 1 << 16, 1 << 30},
    SizeField{"last_level_bytes", &Machine::last_level_bytes, 0, std::int64_t{1} << 40},
    SizeField{"large_page_bytes", &Machine::large_page_bytes, 1 << 16, 1 << 25},
};

struct CountField {
  const char* key;
  int Machine::* field;
};
constexpr std::array kCountFields = {CountField{"cores", &Machine::cores},
                                     CountField{"lanes", &Machine::lanes}};
constexpr int kMostCores = 1 << 12;
constexpr std::size_t kLongestName = 200;

/// What is wrong beyond a single number; empty: nothing.
std::string contradiction(const Machine& machine) {
  if (machine.first_level_ways * kBytesOfLine > machine.first_level_bytes)
    return fmt::format("{} ways of {} bytes are more than the first-level cache of {} bytes",
                       machine.first_level_ways, kBytesOfLine, machine.first_level_bytes);
  if (machine.second_level_bytes < machine.first_level_bytes)
    return fmt::format("the second-level cache of {} bytes is smaller than the first, of {}",
                       machine.second_level_bytes, machine.first_level_bytes);
  if (!std::has_single_bit(static_cast<std::uint64_t>(machine.large_page_bytes)))
    return fmt::format("large pages of {} bytes are no power of two", machine.large_page_bytes);
  if (machine.lanes > machine.cores)
    return fmt::format("{} lanes cannot be busy at once on {} cores", machine.lanes, machine.cores);
  return "";
}

Isa isa_at(const JsonPlace& place) {
  try {
    return isa_named(place.text(), place.path());
  } catch (const Error& error) {
    raise(ErrorKind::Model, error.message());
  }
}

Machine machine_at(const JsonPlace& place) {
  place.expect_keys({"processor", "family", "model", "isa", "first_level_bytes", "first_level_ways",
                     "second_level_bytes", "last_level_bytes", "large_page_bytes", "cores",
                     "lanes"});
  Machine machine;
  machine.processor = place["processor"].text();
  if (printable(machine.processor, kLongestName) != machine.processor)
    place["processor"].fail(
        fmt::format("expected at most {} bytes of printable text", kLongestName));
  machine.isa = isa_at(place["isa"]);
  for (const SizeField& size : kSizeFields)
    machine.*size.field = place[size.key].integer(size.least, size.most);
  for (const CountField& count : kCountFields)
    machine.*count.field = static_cast<int>(place[count.key].integer(1, kMostCores));
  if (const std::string problem = contradiction(machine); !problem.empty()) place.fail(problem);
  return machine;
}

nlohmann::ordered_json machine_json(const Machine& machine) {
  nlohmann::ordered_json json = {{"processor", machine.processor}, {"isa", name(machine.isa)}};
  for (const SizeField& size : kSizeFields) json[size.key] = machine.*size.field;
  for (const CountField& count : kCountFields) json[count.key] = machine.*count.field;
  return json;
}

}  // namespace

std::string machine_text(const Machine& machine, std::string_view braid, std::string_view cpu) {
  return json_text({{"format", kMachineFormat},
                    {"version", 1},
                    {"braid", braid},
                    {"cpu", cpu},
                    {"machine", machine_json(machine)}});
}

Machine parse_machine(std::string_view text, std::string_view origin, Isa best) {
  const auto where = [&] {
    return fmt::format("while reading the machine {}, which `braid --version --json` writes",
                       quote(origin));
  };
  return with_note(where, [&] {
    const nlohmann::json json = parse_json(text);
    const JsonPlace root(json);
    root.expect_keys({"format", "version", "braid", "cpu", "machine"});
    if (root["format"].text() != kMachineFormat)
      root["format"].fail(
          fmt::format("expected '{}', got {}", kMachineFormat, quote(root["format"].text())));
    root["version"].integer(1, 1);
    Machine machine = machine_at(root["machine"]);
    if (machine.isa > best)
      raise(ErrorKind::Usage,
            fmt::format("the machine has {}, but this processor has no more than {}; lower its "
                        "\"isa\" to choose as it would with that",
                        name(machine.isa), name(best)));
    return machine;
  });
}

Machine read_machine(const std::filesystem::path& file, Isa best) {
  const auto mapped = MappedFile::open(file);
  return parse_machine(
      {reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size()},
      file.string(), best);
}

Machine with_defaults(Machine machine) {
  const Machine usual;
  machine.cores = std::clamp(machine.cores, 1, kMostCores);
  machine.lanes = std::clamp(machine.lanes, 1, machine.cores);
  for (const SizeField& size : kSizeFields)
    if (machine.*size.field < size.least || machine.*size.field > size.most)
      machine.*size.field = usual.*size.field;
  if (contradiction(machine).empty()) return machine;
  for (const SizeField& size : kSizeFields)
    if (size.least > 0) machine.*size.field = usual.*size.field;
  return machine;
}

}  // namespace braid::cpu
