#pragma once

#include <string>
#include <string_view>

namespace braid {

/// Text, in UTF-8, as the content of an element or of an attribute, in HTML and XML. Characters
/// that XML does not allow at all become U+FFFD.
std::string escaped_markup(std::string_view text);

/// JSON that may stand in a <script> element: nothing in it ends the element or begins a comment.
std::string script_json(std::string_view json);

/// A quoted string of the DOT language. A newline stays one, a backslash is a backslash.
std::string quoted_dot(std::string_view text);

/// The colour of the operator that takes most time (0), the next (1), …; grey from some rank on.
std::string_view operator_colour(std::size_t rank);

/// The colour of a stream: the same one in every picture, and readable under dark text.
std::string stream_colour(std::size_t stream);

}  // namespace braid
