#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace braid::bench {

/// The head of a result: benchmark, version, command, and the machine that it ran on.
nlohmann::ordered_json document_head(const std::string& benchmark, int count, char** arguments);

/// Writes the document to a file, or to standard output if the path is "-".
void write_document(const nlohmann::ordered_json& document, const std::string& path);

}  // namespace braid::bench
