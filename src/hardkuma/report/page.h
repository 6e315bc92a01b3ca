#pragma once

#include <string>
#include <vector>

#include "hardkuma/report/explanation.h"

namespace hardkuma {

/// A self-contained page of explained texts, in pieces so that it can be streamed: the opening, one
/// card per text, the close. No script, nothing fetched.
std::string page_open(const std::string& title, const std::string& subtitle);
std::string page_card(const Explanation& explanation, const std::string& note = "");
std::string page_close();

/// A framed chart, optionally with a caption; several are side by side inside
/// `<div class="charts">`.
std::string page_chart(const std::string& svg, const std::string& caption = "");

/// Rows of cells; the first row is the header.
std::string html_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace hardkuma
