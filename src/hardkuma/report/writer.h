#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hardkuma/report/aspect_explanations.h"

namespace hardkuma {

/// What a writer needs to know before the first text.
struct WriterOptions {
  std::vector<std::string> models = {};  ///< their directories
  bool pairs = false;                    ///< do they read pairs of texts?
  bool links = false;                    ///< and show which words are linked?
  bool colour = false;                   ///< for a terminal
  int64_t columns = 0;                   ///< of the terminal, to wrap text; 0: no wrapping
};

/// Formats explanations as text: what comes before the first, each explanation, and what comes
/// after the last.
///
///   const auto writer = find_format("html").make({.models = {"reviews.model"}});
///   out << writer->open();
///   for (const auto& e : explanations) out << writer->text_of(e);
///   out << writer->close();
class ExplanationWriter {
 public:
  virtual ~ExplanationWriter() = default;
  virtual std::string open() { return ""; }

  /// One text, as each of the models explains it.
  virtual std::string text_of(const AspectExplanations& explanations) = 0;

  virtual std::string close() { return ""; }
};

/// A row of the table of formats.
struct ExplanationFormat {
  std::string name;
  std::string help;
  /// A UsageError if the format cannot show these models.
  std::unique_ptr<ExplanationWriter> (*make)(const WriterOptions& options);
};
const std::vector<ExplanationFormat>& explanation_formats();

/// An unknown name is a UsageError.
const ExplanationFormat& find_format(const std::string& name);

}  // namespace hardkuma
