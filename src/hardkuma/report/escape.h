#pragma once

#include <string>
#include <string_view>

namespace hardkuma {

/// Text made safe inside HTML and SVG.
std::string html_escape(std::string_view text);

}  // namespace hardkuma
