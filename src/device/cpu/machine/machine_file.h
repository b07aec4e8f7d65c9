#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "device/cpu/machine/machine.h"

namespace braid::cpu {

/// What `braid --version --json` writes (docs/formats.md): the machine, one key for each field,
/// with the version of Braid and the device's fingerprint for those who read it.
std::string machine_text(const Machine& machine, std::string_view braid, std::string_view cpu);

/// Reads that; `braid` and `cpu` may be left out. Throws Model, saying where, if the text is no
/// description of a machine, or of one that cannot be; Usage if the machine has more than `best`,
/// the instruction set of the processor at hand.
Machine parse_machine(std::string_view text, std::string_view origin, Isa best);
Machine read_machine(const std::filesystem::path& file, Isa best);

/// The machine with defaults for those sizes that a description could not have.
Machine with_defaults(Machine machine);

}  // namespace braid::cpu
