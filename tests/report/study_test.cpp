#include "hardkuma/report/study.h"

#include <gtest/gtest.h>

#include "hardkuma/common/file.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

Study small() {
  StudySection section{"Table <1>"};
  section.text = "Before & after.";
  section.rows = {{"", "published", "here"}, {"SVM", ".0154", "0.0148"}};
  section.figures = {{"a.svg", "a < b", "<svg>drawn</svg>"}};
  section.notes = {"Said afterwards."};
  return {"A study", "About it.", "hardkuma reproduce x", {section}};
}

TEST(Study, IsAPageATableAndFigures) {
  const test::TempDirectory dir;
  write_study(dir.path() / "out", small());
  const std::string page = read_file(dir.path() / "out" / "index.html");
  for (const char* piece : {"Table &lt;1&gt;", "Before &amp; after.", ">0.0148<", "drawn",
                            "a &lt; b", "Said afterwards.", "hardkuma reproduce x"}) {
    EXPECT_NE(page.find(piece), std::string::npos) << piece;
  }
  const std::string text = read_file(dir.path() / "out" / "results.md");
  EXPECT_NE(text.find("| SVM | .0154 | 0.0148 |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("|---|---|---|\n"), std::string::npos);
  EXPECT_NE(text.find("![a < b](a.svg)"), std::string::npos);
  EXPECT_EQ(read_file(dir.path() / "out" / "a.svg"), "<svg>drawn</svg>");
}

TEST(Study, AsText) {
  const std::string text = study_text(small());
  EXPECT_NE(text.find("Table <1>"), std::string::npos);
  EXPECT_NE(text.find("a.svg: a < b"), std::string::npos);
  EXPECT_NE(text.find("Said afterwards."), std::string::npos);
}

}  // namespace
}  // namespace hardkuma
