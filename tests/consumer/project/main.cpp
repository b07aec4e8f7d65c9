// Runs a model through the installed library:  consumer model.onnx
#include <cstdio>

#include <braid/braid.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    braid::Session session(argv[1]);
    std::map<std::string, braid::Tensor> inputs;
    for (const braid::ValueInfo& info : session.inputs())
      inputs.emplace(info.name, braid::Tensor::zeros({info.element, info.dims}));
    const auto outputs = session.run(inputs);
    std::printf("%s %s\n", outputs.at(0).first.c_str(),
                to_string(outputs[0].second.type()).c_str());
  } catch (const braid::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return braid::exit_code(error.kind());
  }
  try {
    braid::Session missing("no-such-file.onnx");
  } catch (const braid::Error& error) {
    return error.kind() == braid::ErrorKind::Model ? 0 : 1;
  }
  return 1;
}
