#include "shared/published.h"

#include <set>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/text.h"

namespace braid::bench {
namespace {

std::string text_or_empty(const JsonPlace& row, std::string_view key) {
  return row.has(key) ? row[key].text() : std::string();
}

PublishedRow read_row(const JsonPlace& place) {
  place.expect_keys({"id", "paper", "where", "network", "batch", "gpu", "setup", "schedule",
                     "group_units", "groups", "file", "over", "quantity", "published", "others",
                     "used_for", "fits", "note"});
  PublishedRow row;
  row.id = place["id"].text();
  row.paper = place["paper"].text();
  row.where = place["where"].text();
  row.network = place["network"].text();
  row.batch = place["batch"].integer(1, 1 << 20);
  row.gpu = place["gpu"].text();
  row.setup = place["setup"].text();
  row.schedule = place["schedule"].text();
  row.over = text_or_empty(place, "over");
  row.file = text_or_empty(place, "file");
  row.group_units = static_cast<int>(place.integer("group_units", 1, 64, row.group_units));
  row.groups = static_cast<int>(place.integer("groups", 1, 64, row.groups));
  if (place["quantity"].text() != (row.is_ratio() ? "ratio" : "ms"))
    place["quantity"].fail("expected \"ratio\" with `over` and \"ms\" without");
  row.published = place["published"].real(1e-6, 1e6);
  if (place.has("others"))
    for (std::size_t i = 0; i < place["others"].size(); ++i) {
      const JsonPlace other = place["others"].at(i);
      row.others.push_back({other["value"].real(1e-6, 1e6), other["where"].text()});
    }
  row.used_for = place["used_for"].text();
  if (row.used_for != "fit" && row.used_for != "check")
    place["used_for"].fail("expected \"fit\" or \"check\"");
  row.fits = text_or_empty(place, "fits");
  if ((row.used_for == "fit") == row.fits.empty())
    place["used_for"].fail("a row to fit on, and no other, says in `fits` what");
  row.note = text_or_empty(place, "note");
  return row;
}

OutsideRow read_outside(const JsonPlace& place) {
  place.expect_keys({"paper", "where", "what", "values", "reason"});
  OutsideRow row{place["paper"].text(),
                 place["where"].text(),
                 place["what"].text(),
                 {},
                 place["reason"].text()};
  for (const std::string& key : place["values"].keys())
    row.values[key] = place["values"][key].real(0, 1e9);
  if (row.values.empty()) place["values"].fail("there is none");
  if (row.reason.empty()) place["reason"].fail("there is none");
  return row;
}

}  // namespace

Published read_published(const std::string& path) {
  const auto file = MappedFile::open(path);
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()),
                              file->bytes().size());
  const auto where = [&] { return "while reading published figures from " + quote(path); };
  return with_note(where, [&] {
    const nlohmann::json json = parse_json(text);
    const JsonPlace root(json);
    root.expect_keys({"format", "version", "comment", "setups", "rows", "outside"});
    if (root["format"].text() != "braid-published")
      root["format"].fail("expected \"braid-published\"");
    root["version"].integer(1, 1);
    Published published;
    std::set<std::string> ids;
    for (std::size_t i = 0; i < root["rows"].size(); ++i) {
      const JsonPlace place = root["rows"].at(i);
      published.rows.push_back(read_row(place));
      if (!ids.insert(published.rows.back().id).second) place["id"].fail("there is one before it");
      if (!root["setups"].has(
              published.rows.back().setup.substr(0, published.rows.back().setup.find('+'))))
        place["setup"].fail("it is none of `setups`");
    }
    for (std::size_t i = 0; i < root["outside"].size(); ++i)
      published.outside.push_back(read_outside(root["outside"].at(i)));
    return published;
  });
}

std::string published_file() { return BRAID_PUBLISHED_FILE; }

}  // namespace braid::bench
