// Bytes as an edits file: edits that a graph accepts are obeyed by a Plan that verifies.

#include "graph/text.h"
#include "plan/constraints.h"
#include "plan/one_stream.h"
#include "plan/verify.h"
#include "tests/fuzz/fuzz.h"

namespace braid::fuzz {

std::vector<std::string> seeds() {
  return {
      "# two rows\npin a* stream 1\nbefore a1 b1\n",
      "never-parallel a* b*\nnever-parallel * *\n",
      "pin \"b 2\" stream 0 # quoted\r\nbefore \"b 2\" y\nbefore a1 b1\n",
      "before b1 a1\npin y stream 2\nnever-parallel a? x\n",
  };
}

}  // namespace braid::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braid;
  static const Graph graph = parse_graph(R"(
      x: f32[4,8]
      a1: f32[4,8] = Relu(x) @"a1"
      a2: f32[4,8] = Relu(a1) <k scratch=100> @"a2"
      b1: f32[4,8] = Relu(x) @"b1"
      "b 2": f32[4,8] = Relu(b1) @"b 2"
      y: f32[4,16] = Concat(a2, "b 2") axis=1 @"y")",
                                         {});
  static const Plan plan = one_stream(graph, "cpu");
  std::vector<Constraint> constraints;
  const bool accepted = fuzz::attempt([&] {
    const auto edits = parse_edits(fuzz::text_of(data, size));
    constraints = constraints_of(graph, NodeNames(graph), edits, 3);
  });
  if (!accepted) return 0;
  const bool obeyed = fuzz::attempt([&] {
    const Plan edited = obeying(graph, plan, constraints);
    verify(graph, edited);
    if (obeying(graph, edited, constraints) != edited)
      fuzz::fail("a Plan that obeys is changed when it is made to obey again");
  });
  if (!obeyed) fuzz::fail("edits that the graph accepts cannot be obeyed");
  return 0;
}
