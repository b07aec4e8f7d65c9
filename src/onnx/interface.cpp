#include "onnx/interface.h"

#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "onnx/inputs.h"
#include "onnx/metadata.h"
#include "onnx/proto.h"

namespace braid::onnx {

Interface read_interface(const std::filesystem::path& path, const LoadOptions& options) {
  const auto where = [&] { return fmt::format("while loading {}", quote(path.string())); };
  return with_note(where, [&] {
    const auto file = MappedFile::open(path);
    proto::ModelProto model;
    parse(split(file->bytes(), MessageKind::Model, options.quotas), options.quotas, model);
    std::unordered_set<std::string_view> initialisers;
    for (const auto& tensor : model.graph().initializer()) initialisers.insert(tensor.name());
    Interface interface;
    for (const auto& input : model.graph().input())
      if (!initialisers.contains(input.name()))
        interface.inputs.push_back(describe_input(input, options));
    for (const auto& output : model.graph().output()) interface.outputs.push_back(output.name());
    return interface;
  });
}

std::string type_text(const ValueInfo& input) {
  std::vector<std::string> dims;
  for (std::size_t i = 0; i < input.dims.size(); ++i)
    dims.push_back(input.dims[i] >= 0         ? fmt::format("{}", input.dims[i])
                   : input.symbols[i].empty() ? "?"
                                              : printable(input.symbols[i]));
  return fmt::format("{}[{}]", name(input.element), fmt::join(dims, ","));
}

}  // namespace braid::onnx
