#pragma once

#include <string>

#include "contest.h"

namespace braid::autograph_table {

/// Optimises one normal cell of NASNet-A mobile as a graph of its own, draws graphs and timelines
/// before and after into the folder, and prints what each round of rules did as Markdown. Without
/// seconds in the setting no clock is read, and the same comes out every time.
void draw_case_study(const std::string& folder, const Setting& setting, std::string command);

}  // namespace braid::autograph_table
