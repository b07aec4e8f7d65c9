// Runs a model on an input of ones and prints the largest outputs:  classify model.onnx
#include <algorithm>
#include <cstdio>
#include <numeric>

#include <braid/braid.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s model.onnx\n", argv[0]);
    return 2;
  }
  try {
    braid::Session session(argv[1]);
    std::map<std::string, braid::Tensor> inputs;
    for (const braid::ValueInfo& info : session.inputs()) {
      braid::Tensor tensor = braid::Tensor::zeros({info.element, info.dims});
      if (info.element == braid::ElementType::F32)
        std::ranges::fill(tensor.mutable_data<float>(), 1.0F);
      inputs.emplace(info.name, tensor);
    }
    for (const auto& [name, output] : session.run(inputs)) {
      std::printf("%s %s\n", name.c_str(), to_string(output.type()).c_str());
      if (output.element() != braid::ElementType::F32) continue;
      const auto scores = output.data<float>();
      std::vector<std::size_t> order(scores.size());
      std::iota(order.begin(), order.end(), 0);
      const auto top =
          order.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(5, order.size()));
      std::partial_sort(order.begin(), top, order.end(),
                        [&](auto a, auto b) { return scores[a] > scores[b]; });
      for (auto i = order.begin(); i != top; ++i)
        std::printf("  %6zu  %g\n", *i, static_cast<double>(scores[*i]));
    }
  } catch (const braid::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return braid::exit_code(error.kind());
  }
  return 0;
}
