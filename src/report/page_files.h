#pragma once

#include <string_view>

namespace braid {

/// page/ as the build found it (page/embed.cmake).
extern const std::string_view kPage;         ///< page.html
extern const std::string_view kStyle;        ///< page.css
extern const std::string_view kScript;       ///< all *.js, joined
extern const std::string_view kStyleSha256;  ///< in hexadecimal digits
extern const std::string_view kScriptSha256;

}  // namespace braid
