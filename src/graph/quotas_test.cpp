#include "graph/quotas.h"

#include <gtest/gtest.h>

#include "base/testing/kind_of_error.h"

namespace braid {
namespace {

std::optional<ErrorKind> kind_of(std::string_view assignment) {
  Quotas quotas;
  return kind_of_error([&] { set_quota(quotas, assignment); });
}

TEST(Quotas, AreSetByName) {
  Quotas quotas;
  for (const QuotaRow& row : quota_rows()) {
    set_quota(quotas, std::string(row.name) + "=7");
    EXPECT_EQ(quotas.*row.member, 7) << row.name;
  }
  set_quota(quotas, "memory_bytes=3G");
  EXPECT_EQ(quotas.memory_bytes, std::int64_t{3} << 30);
}

TEST(Quotas, RefuseWhatIsNoNumberOrNoQuota) {
  for (const char* text : {"nodes", "nodes=", "nodes=x", "nodes=-1", "nodes=1X", "nodes=1KK",
                           "apples=3", "", "=", "nodes=99999999999999999999"})
    EXPECT_EQ(kind_of(text), ErrorKind::Usage) << text;
  EXPECT_EQ(kind_of("memory_bytes=9000000000000000000T"), ErrorKind::Quota);
}

}  // namespace
}  // namespace braid
