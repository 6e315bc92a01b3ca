#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hardkuma {

/// A section of a study: text, a table and figures.
struct StudySection {
  struct Figure {
    std::string file;  ///< "tradeoff.svg"
    std::string caption;
    std::string svg;
  };
  std::string title;
  std::string text = {};                            ///< a paragraph before the table
  std::vector<std::vector<std::string>> rows = {};  ///< the first is the header
  std::vector<Figure> figures = {};
  std::vector<std::string> notes = {};  ///< sentences after it
};

struct Study {
  std::string title;
  std::string about;
  std::string command;  ///< that reproduces it
  std::vector<StudySection> sections;
};

/// For a terminal: tables and notes, the names of the figures.
std::string study_text(const Study& study);

/// Writes index.html, self-contained, results.md with the same tables, and every figure as a file.
void write_study(const std::filesystem::path& directory, const Study& study);

}  // namespace hardkuma
