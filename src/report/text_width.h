#pragma once

#include <string>
#include <string_view>

namespace braid {

/// How wide a text in UTF-8 is at most in a common font without serifs, as a multiple of the font's
/// size. Which font a reader has is not known: these are the widths of a wide one.
double text_width(std::string_view text, bool bold = false);

/// The text, or "…" and as much of its end as fits.
std::string fitting(std::string_view text, double width, bool bold = false);

}  // namespace braid
