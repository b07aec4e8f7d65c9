#include "onnx/tensor_file.h"

#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "onnx/metadata.h"
#include "onnx/tensor_reader.h"
#include "onnx/tensor_writer.h"

namespace braid::onnx {

TensorFile read_tensor_file(const std::filesystem::path& path, const Quotas& quotas) {
  const auto where = [&] { return fmt::format("while reading {}", quote(path.string())); };
  return with_note(where, [&] {
    const auto file = MappedFile::open(path);
    Metadata metadata = split(file->bytes(), MessageKind::Tensor, quotas);
    proto::TensorProto tensor;
    parse(metadata, quotas, tensor);
    TensorReader reader(std::move(metadata.tensors), file, ExternalData(std::nullopt, {}), quotas);
    return TensorFile{tensor.name(), reader.read(tensor, "the tensor " + quote(tensor.name()))};
  });
}

void write_tensor_file(const std::filesystem::path& path, const TensorFile& tensor) {
  OutputFile file(path);
  const TensorMessage message(tensor.name, tensor.tensor);
  message.write(file.stream());
  file.commit();
}

}  // namespace braid::onnx
