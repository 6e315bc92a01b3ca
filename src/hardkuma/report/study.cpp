#include "hardkuma/report/study.h"

#include <fmt/format.h>

#include "hardkuma/common/file.h"
#include "hardkuma/report/escape.h"
#include "hardkuma/report/page.h"
#include "hardkuma/report/table.h"

namespace hardkuma {
namespace {

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
  std::string out;
  for (size_t r = 0; r < rows.size(); ++r) {
    out += "|";
    for (const std::string& cell : rows[r]) out += " " + cell + " |";
    out += "\n";
    if (r > 0) continue;
    out += "|";
    for (size_t i = 0; i < rows[0].size(); ++i) out += "---|";
    out += "\n";
  }
  return out;
}

std::string markdown(const Study& study) {
  std::string out =
      fmt::format("# {}\n\n{}\n\n```\n{}\n```\n", study.title, study.about, study.command);
  for (const StudySection& section : study.sections) {
    out += fmt::format("\n## {}\n\n", section.title);
    if (!section.text.empty()) out += section.text + "\n\n";
    if (!section.rows.empty()) out += markdown_table(section.rows) + "\n";
    for (const auto& figure : section.figures) {
      out += fmt::format("![{}]({})\n\n", figure.caption, figure.file);
    }
    for (const std::string& note : section.notes) out += note + "\n\n";
  }
  return out;
}

std::string page(const Study& study) {
  std::string out = page_open(study.title, study.about);
  for (const StudySection& section : study.sections) {
    out += fmt::format("<h2>{}</h2>\n", html_escape(section.title));
    if (!section.text.empty()) out += "<p>" + html_escape(section.text) + "</p>\n";
    if (!section.rows.empty()) out += html_table(section.rows);
    if (!section.figures.empty()) out += "<div class=\"charts\">\n";
    for (const auto& figure : section.figures) {
      out += page_chart(figure.svg, figure.caption);
    }
    if (!section.figures.empty()) out += "</div>\n";
    for (const std::string& note : section.notes) out += "<p>" + html_escape(note) + "</p>\n";
  }
  return out + "<h2>Command</h2>\n<pre>" + html_escape(study.command) + "</pre>\n" + page_close();
}

}  // namespace

std::string study_text(const Study& study) {
  std::string out;
  for (const StudySection& section : study.sections) {
    out += "\n" + section.title + "\n";
    if (!section.text.empty()) out += section.text + "\n";
    if (!section.rows.empty()) out += "\n" + text_table(section.rows);
    for (const std::string& note : section.notes) out += note + "\n";
    for (const auto& figure : section.figures) {
      out += fmt::format("{}: {}\n", figure.file, figure.caption);
    }
  }
  return out;
}

void write_study(const std::filesystem::path& directory, const Study& study) {
  std::filesystem::create_directories(directory);
  for (const StudySection& section : study.sections) {
    for (const auto& figure : section.figures) write_file(directory / figure.file, figure.svg);
  }
  write_file(directory / "results.md", markdown(study));
  write_file(directory / "index.html", page(study));
}

}  // namespace hardkuma
