#include "rewrite/rules/pieces.h"

#include <algorithm>

#include "rewrite/recipe.h"

namespace braid {

std::vector<std::int64_t> even_lengths(std::int64_t length, std::int64_t parts,
                                       std::int64_t grain) {
  if (length < parts * grain) grain = 1;
  const std::int64_t grains = length / grain;
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < parts; ++i)
    lengths.push_back((grains / parts + (i < grains % parts ? 1 : 0)) * grain);
  lengths.back() += length % grain;
  return lengths;
}

std::string piece_name(const std::string& name, std::size_t piece) {
  return name + "/" + std::to_string(piece);
}

std::vector<ValueId> add_convolutions_of_pieces(EditBuilder& build, const Graph& graph,
                                                const Convolution& conv,
                                                const std::vector<std::int64_t>& lengths,
                                                const std::string& name) {
  const ConvGeometry& geometry = conv.geometry;
  std::vector<ValueId> inputs(lengths.size(), conv.input);
  std::vector<std::int64_t> groups(lengths.size(), 1);
  if (!conv.is_dense()) {
    std::vector<std::int64_t> read;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      groups[i] = lengths[i] / geometry.out_channels_of_group();
      read.push_back(groups[i] * geometry.in_channels_of_group());
    }
    inputs = build.split(conv.input, read, 1, name + "/input");
  }
  std::vector<ValueId> pieces;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::int64_t end = begin + lengths[i];
    ConvChange change{
        .input = inputs[i], .weights = sliced(conv.weights, 0, begin, end), .groups = groups[i]};
    if (conv.bias.defined()) change.bias = sliced(conv.bias, 0, begin, end);
    pieces.push_back(add_convolution(build, graph, conv, change, piece_name(name, i)));
    begin = end;
  }
  return pieces;
}

}  // namespace braid
