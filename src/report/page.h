#pragma once

#include <string>

#include "report/report_data.h"

namespace braid {

/// The report as one HTML page that needs nothing else: style, script and data are inside, and its
/// content security policy lets nothing in. Names from models stand in it as data only.
std::string html_page(const Report& report);

}  // namespace braid
