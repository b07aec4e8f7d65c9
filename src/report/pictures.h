#pragma once

#include <string>

#include "graph/graph.h"
#include "plan/plan.h"
#include "report/report_data.h"

namespace braid {

/// The timelines of a model's runs under one another, as an SVG file. However many steps there are,
/// it has no more bars than a row has places for.
std::string timeline_svg(const Report& report, const ReportModel& model);

/// The graph coloured by stream, as an SVG file: levels from top to bottom, the streams side by
/// side. Edges that a stream has to wait for are dashed.
std::string graph_svg(const Graph& lowered, const Plan& plan);
/// The same in the DOT language, for Graphviz and others.
std::string graph_dot(const Graph& lowered, const Plan& plan);

}  // namespace braid
