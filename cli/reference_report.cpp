#include "cli/reference_report.h"

#include <fmt/format.h>

namespace braid::cli {

ReferenceShare reference_share(const Planned& planned) {
  return braid::reference_share(planned.lowered(), planned.profile().costs);
}

std::string text_of(const ReferenceShare& reference) {
  if (reference.empty()) return "";
  return fmt::format(
      "for want of a fast kernel, the reference runs {}: {:.1f} % of the sum of all "
      "operators\n",
      reference.counts(), 100 * reference.share);
}

nlohmann::ordered_json reference_json(const ReferenceShare& reference) {
  return {{"share", reference.share}, {"uses", reference.uses}};
}

}  // namespace braid::cli
