// Bytes as the text form of a graph: what is printed is read as the same graph again.

#include "graph/hash.h"
#include "graph/text.h"
#include "graph/verify.h"
#include "tests/fuzz/fuzz.h"

namespace braid::fuzz {

std::vector<std::string> seeds() {
  return {
      "graph \"cell\" opset=17\nx: f32[1,8,4,4]\n"
      "c: f32[1,16,4,4] = Conv(x, w: f32[16,8,3,3], -) auto_pad=\"NOTSET\" pads=[1,1,1,1] @\"conv "
      "1\"\n"
      "s: f32[1,256] = Reshape(c, shape: i64[2] = {1,-1}) allowzero=0\n"
      "\"y 1\": f32[1,256], - = Dropout(s) a=0.5 b=[1.0,inf] t=f16[2]{1.5,nan} u=reals[]\n"
      "return \"y 1\" as \"out\", s\n",
      "x: f32[4,4]\ny: f32[4,4] <nhwc> = Relu(x) <\"onednn:jit\" scratch=64 cut=0/1 cut=1/2>\n",
      "x: bool[]\n\"a\\x00b\\n\": i64[2] = Where(x, p: i64[2] = {1,2}, q: i64[2] = "
      "{-9223372036854775808,3}) # note\n",
      "x: u8[0,3]\na: bf16[0] = Cast(x) to=16 k=[\"a\",\"\\\"\"] z=-0.0\nb: f64[] = Sum(h: f64[] = "
      "{1e-300}) @n\nreturn a\n",
  };
}

}  // namespace braid::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace braid;
  std::string text;
  Hash128 before;
  const bool read = fuzz::attempt([&] {
    const Graph graph = parse_graph(fuzz::text_of(data, size), {}, fuzz::small_quotas());
    verify(graph);
    before = hash(graph, HashWeights::Bytes);
    text = print(graph, {.types = true, .elements_in_full = -1});
  });
  if (!read) return 0;
  const bool again = fuzz::attempt([&] {
    const Graph graph = parse_graph(text, {});
    if (hash(graph, HashWeights::Bytes) != before)
      fuzz::fail("the printed graph has another hash:\n" + text);
    const std::string second = print(graph, {.types = true, .elements_in_full = -1});
    if (second != text)
      fuzz::fail("the printed graph is printed as another:\n" + text + "\nand then\n" + second);
  });
  if (!again) fuzz::fail("a printed graph cannot be read:\n" + text);
  return 0;
}
