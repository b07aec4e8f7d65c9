#include "sim/conv_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace braid::sim {

ConvChoice parse_conv_choice(std::string_view text) {
  const std::size_t plus = std::min(text.find('+'), text.size());
  ConvChoice choice;
  choice.kernels = text.substr(0, plus);
  for (std::size_t i = plus + 1; i < text.size(); ++i) {
    if (text[i] == 'x')
      choice.changes_input = true;
    else if (text[i] == 'w')
      choice.changes_weights = true;
    else if (text[i] == 'y')
      choice.changes_output = true;
    else
      raise(ErrorKind::Model, fmt::format("{}: after \"+\" come x, w or y", quote(text)));
  }
  return choice;
}

std::string conv_key(const ConvGeometry& geometry) {
  const Window& window = geometry.window;
  return fmt::format("{}x{}x{} {}x{}x{} pads={},{} strides={} dilations={}", geometry.batch,
                     geometry.in_channels, fmt::join(window.input, "x"), geometry.out_channels,
                     geometry.in_channels_of_group(), fmt::join(window.kernel, "x"),
                     fmt::join(window.pads_begin, ","), fmt::join(window.pads_end, ","),
                     fmt::join(window.strides, ","), fmt::join(window.dilations, ","));
}

ConvAnswers parse_conv_answers(std::string_view text, std::string_view origin) {
  const auto where = [&] { return fmt::format("while reading the answers {}", quote(origin)); };
  return with_note(where, [&] {
    const nlohmann::json json = parse_json(text);
    const JsonPlace root(json);
    root.expect_keys({"format", "version", "gpu", "cudnn", "convolutions"});
    if (root["format"].text() != "braid-cudnn-answers")
      root["format"].fail("expected \"braid-cudnn-answers\", got " + quote(root["format"].text()));
    root["version"].integer(1, 1);
    ConvAnswers answers;
    answers.library = root["cudnn"].text();
    const JsonPlace rows = root["convolutions"];
    for (const std::string& key : rows.keys()) {
      const JsonPlace row = rows[key];
      for (std::size_t i = 0; i < row.size(); ++i)
        answers.convolutions[key].push_back(parse_conv_choice(row.at(i).text()));
    }
    return answers;
  });
}

}  // namespace braid::sim
