#include "api/input_source.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "api/document_test_util.h"

namespace ksched::api {
namespace {

std::string Gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(InputSourceTest, GzipIsUnpackedMemberAfterMember) {
  EXPECT_EQ(Outcome(Gzip("a: 1\n")), R"({"a":1})");
  EXPECT_EQ(Outcome(Gzip("a: 1\n---\n") + Gzip("b: 2\n")), "{\"a\":1}\n{\"b\":2}");
  EXPECT_EQ(Outcome(Gzip("{\"a\": ") + Gzip("1}")), R"({"a":1})");
  EXPECT_EQ(Outcome(Gzip("a: 1\n") + std::string(512, '\0')), R"({"a":1})");
}

TEST(InputSourceTest, BrokenGzip) {
  const std::string packed = Gzip("a: 1\n---\nb: 2\n");
  // Whether the last document of YAML is complete is not known.
  EXPECT_EQ(Outcome(packed.substr(0, packed.size() - 6)),
            "{\"a\":1}\nf:4: the gzip data end too early: the file is truncated");
  EXPECT_EQ(Outcome(packed.substr(0, 2)), "f: the gzip data end too early: the file is truncated");
  EXPECT_EQ(Outcome(packed + "trailing"), "{\"a\":1}\nf:4: invalid gzip data: incorrect header check");
  EXPECT_EQ(Outcome("\x1f\x8b"
                    "not really"),
            "f: invalid gzip data: unknown compression method");
  const std::string json = Gzip("{\"a\":1}{\"b\":2}\n");
  EXPECT_EQ(Outcome(json.substr(0, json.size() - 6)),
            "{\"a\":1}\n{\"b\":2}\nf:2: the gzip data end too early: the file is truncated");
}

TEST(InputSourceTest, PrependGivesTheStartFirst) {
  const auto source = Prepend("abc", OpenText("def"));
  std::string all;
  char buffer[2];
  for (;;) {
    const Result<size_t> got = source->Read(buffer, sizeof buffer);
    ASSERT_TRUE(got.ok());
    if (*got == 0) break;
    all.append(buffer, *got);
  }
  EXPECT_EQ(all, "abcdef");
}

}  // namespace
}  // namespace ksched::api
