#include "report/markup.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace braid {
namespace {

TEST(Markup, TextCannotBecomeTags) {
  EXPECT_EQ(escaped_markup("<b a='1'>&\"é"), "&lt;b a=&#39;1&#39;&gt;&amp;&quot;é");
  EXPECT_EQ(escaped_markup("a\x01\xef\xbf\xbf"
                           "b"),
            "a\xef\xbf\xbd\xef\xbf\xbd"
            "b");
}

TEST(Markup, JsonInAScriptCannotEndIt) {
  const nlohmann::json name = "</script><script>alert(1)</script><!--&";
  const std::string safe = script_json(name.dump());
  EXPECT_EQ(safe.find('<'), std::string::npos);
  EXPECT_EQ(safe.find('>'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(safe), name);
}

TEST(Markup, DotStringsAreQuoted) {
  EXPECT_EQ(quoted_dot("a\"b\\c\nd"), R"("a\"b\\c\nd")");
  EXPECT_EQ(quoted_dot("\\"), R"("\\")");
}

TEST(Markup, StreamsHaveColoursOfTheirOwn) {
  std::set<std::string> seen;
  for (std::size_t stream = 0; stream < 32; ++stream) {
    const std::string colour = stream_colour(stream);
    EXPECT_EQ(colour.size(), 7U) << colour;
    seen.insert(colour);
  }
  EXPECT_EQ(seen.size(), 32U);
}

}  // namespace
}  // namespace braid
