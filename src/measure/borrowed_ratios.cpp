#include "measure/borrowed_ratios.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "device/kernel_identity.h"
#include "measure/turns_of_nodes.h"

namespace braid {
namespace {

std::optional<ModelledOperator> about_from(const std::string& text) {
  constexpr double kShortest_us = 1e-6;
  constexpr double kLongest_us = 1e12;
  try {
    const nlohmann::json json = parse_json(text);
    const JsonPlace about(json);
    return ModelledOperator{about["op"].text(), about["by"].text(),
                            about["modelled_us"].real(kShortest_us, kLongest_us)};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::string to_text(const ModelledOperator& about) {
  return one_line(
      {{"op", about.op}, {"by", about.implementation}, {"modelled_us", about.modelled_us}});
}

std::vector<BorrowedRatio> borrowed_ratios(ProfileCache& cache, const Device& device,
                                           const std::set<std::string>& but_for) {
  std::vector<BorrowedRatio> ratios;
  for (const KeptOperator& kept : cache.find_operators(device.fingerprint() + "; ")) {
    const auto about = about_from(kept.about);
    if (!about || but_for.contains(kept.signature)) continue;
    if (!kept.signature.ends_with(with_identity("", device.kernel_identity(about->implementation))))
      continue;
    const Measurement measured = measurement_of({kept.alone_us, {}}, about->op, about->modelled_us);
    ratios.push_back({about->op, measured.time_us / measured.modelled_us});
  }
  return ratios;
}

}  // namespace braid
