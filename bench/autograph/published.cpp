#include "published.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/mapped_file.h"

namespace braid::autograph_table {

PublishedTable PublishedTable::read() {
  const auto file = MappedFile::open(std::filesystem::path(BRAID_SOURCE_FOLDER) /
                                     "bench/autograph/published.json");
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()),
                              file->bytes().size());
  const nlohmann::json json = parse_json(text);
  const JsonPlace models = JsonPlace(json)["milliseconds"];
  PublishedTable table;
  for (const std::string& model : models.keys())
    for (const std::string& column : models[model].keys())
      table.milliseconds_[model][column] = models[model][column].real(1e-3, 1e3);
  return table;
}

std::optional<double> PublishedTable::milliseconds(const std::string& model,
                                                   const std::string& column) const {
  const auto row = milliseconds_.find(model);
  if (row == milliseconds_.end()) return std::nullopt;
  const auto found = row->second.find(column);
  return found == row->second.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> PublishedTable::ratio(const std::string& model, const std::string& over,
                                            const std::string& of) const {
  const auto above = milliseconds(model, over);
  const auto below = milliseconds(model, of);
  return above && below ? std::optional(*above / *below) : std::nullopt;
}

}  // namespace braid::autograph_table
