// Reads commands, one a line, and answers each with one line: "ok", or "error KIND: message".
//   run MODEL IN.npz OUT.npz      evaluates the model; OUT.npz has every value by its name
//   convert MODEL OUT.onnx OPSET  loads and writes; opset 0 keeps the model's

#include <iostream>
#include <sstream>
#include <string>

#include "base/text.h"
#include "graph/verify.h"
#include "onnx/load.h"
#include "onnx/save.h"
#include "ops/call.h"
#include "tensor/npy.h"

namespace braid {
namespace {

void run(const std::string& model, const std::string& in, const std::string& out) {
  const Graph graph = onnx::load(model);
  verify(graph);
  std::vector<Tensor> inputs(graph.inputs().size());
  for (const auto& [name, tensor] : read_npz(in))
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (graph.value(graph.inputs()[i]).name == name) inputs[i] = tensor;
  const std::vector<Tensor> values = evaluate(graph, inputs);
  std::vector<NamedTensor> named;
  for (ValueId id : graph.value_ids())
    if (!graph.is_output(id)) named.emplace_back(graph.value(id).name, values[id.at()]);
  for (const GraphOutput& output : graph.outputs())
    named.emplace_back(output.name, values[output.value.at()]);
  write_npz(out, named);
}

void convert(const std::string& model, const std::string& out, int opset) {
  onnx::SaveOptions options;
  options.opset = opset;
  onnx::save(onnx::load(model), out, options);
}

void answer(const std::string& line) {
  std::istringstream words(line);
  std::string command;
  std::string a;
  std::string b;
  std::string c;
  words >> command >> a >> b >> c;
  if (command == "run")
    run(a, b, c);
  else
    convert(a, b, std::stoi(c));
}

}  // namespace
}  // namespace braid

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      braid::answer(line);
      std::cout << "ok" << std::endl;
    } catch (const braid::Error& error) {
      std::cout << "error " << name(error.kind()) << ": " << braid::printable(error.what(), 2000)
                << std::endl;
    }
  }
}
