#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "pipeline/stages.h"

namespace braid::cli {

/// How a prediction is told, the same by every command: "1.352 ms nominal, …". Says whether it
/// rests on measured times, on modelled ones, or is simulated; and of modelled ones by what they
/// are scaled, with a band.
std::string prediction_text(const Planned& planned, const Prediction& prediction);

/// The same as fields of `out`: predicted_us, predicted_from, `modelled` with what of it was not
/// measured and how surely that is scaled (docs/formats.md), and, if it is simulated, band_us of
/// the draws that are only reported.
void add_prediction(nlohmann::ordered_json& out, const Planned& planned,
                    const Prediction& prediction);

/// The times that the operators of a model have: "measured", "modelled", "measured and modelled" or
/// "simulated".
std::string origin_of_times(const Planned& planned, const Prediction& prediction);

}  // namespace braid::cli
