#include "hardkuma/data/csv.h"

#include <gtest/gtest.h>

#include "hardkuma/common/error.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;
using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& path, char delimiter = ',') {
  LineReader lines(path);
  CsvReader csv(lines, delimiter);
  Rows out;
  for (std::vector<std::string> row; csv.next(row);) out.push_back(row);
  return out;
}

TEST(Csv, FollowsRfc4180) {
  const TempDirectory dir;
  const std::string path = dir.write(
      "a.csv", "a,b\r\n\"x, y\",\"he said \"\"no\"\"\"\r\n\"two\r\nlines\",\r\n\r\nlast,row");
  EXPECT_EQ(rows_of(path),
            (Rows{{"a", "b"}, {"x, y", "he said \"no\""}, {"two\r\nlines", ""}, {"last", "row"}}));
}

TEST(Csv, KeepsQuotesInsideUnquotedFields) {
  const TempDirectory dir;
  EXPECT_EQ(rows_of(dir.write("a.csv", "5\" disk,it's\n")), (Rows{{"5\" disk", "it's"}}));
}

TEST(Csv, ReadsTabs) {
  const TempDirectory dir;
  EXPECT_EQ(rows_of(dir.write("a.tsv", "a,b\tc\n"), '\t'), (Rows{{"a,b", "c"}}));
}

TEST(Csv, NamesTheLineWhereAnOpenQuoteBegan) {
  const TempDirectory dir;
  const std::string path = dir.write("a.csv", "a,b\nx,\"open\nmore\n");
  EXPECT_NE(message_of<InputError>([&] {
              rows_of(path);
            }).find("a.csv:2: a quoted field is never closed"),
            std::string::npos);
}

TEST(Csv, CountsLinesAcrossQuotedLineEnds) {
  const TempDirectory dir;
  LineReader lines(dir.write("a.csv", "h\n\"1\n2\n3\"\nx\n"));
  CsvReader csv(lines, ',');
  std::vector<std::string> row;
  csv.next(row);
  csv.next(row);
  EXPECT_EQ(csv.line_number(), 2);
  csv.next(row);
  EXPECT_EQ(csv.line_number(), 5);
}

}  // namespace
}  // namespace hardkuma
