#include "report/columns.h"

#include <sstream>

#include <gtest/gtest.h>

namespace ksched {
namespace {

TEST(Columns, PadsAndLeavesOutWhatIsEmpty) {
  Columns columns({"NAME", "UNUSED", "N", "LAST"}, {false, false, true});
  columns.Add({{"a"}, {}, {"7"}, {"x y"}});
  columns.Add({{"\u00e9t\u00e9-long"}, {}, {"1234"}});
  std::ostringstream out;
  columns.Write(out, false, "  ");
  EXPECT_EQ(out.str(),
            "  NAME          N   LAST\n"
            "  a             7   x y\n"
            "  \u00e9t\u00e9-long   1234\n");
}

TEST(Columns, ColourDoesNotCountAsWidth) {
  Columns columns({"A", "B"});
  columns.Add({{"red", Colour::kRed}, {"b"}});
  columns.Add({{"plain"}, {"b"}});
  std::ostringstream out;
  columns.Write(out, true);
  EXPECT_EQ(out.str(), "A       B\n\x1b[31mred\x1b[0m     b\nplain   b\n");
}

}  // namespace
}  // namespace ksched
