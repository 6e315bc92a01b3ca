#include "hardkuma/data/letter_runs.h"

#include "hardkuma/common/text.h"

namespace hardkuma {

std::vector<std::string> letter_runs(const std::string& word) {
  const std::string lower = lower_case(word);
  const std::vector<CodePoint> plain = code_points(lower);
  if (plain.empty() || !is_letter(plain.front().value)) return {};
  const bool unspaced = is_unspaced_letter(plain.front().value);
  const std::string text = unspaced ? lower : "<" + lower + ">";
  const std::vector<CodePoint> points = unspaced ? plain : code_points(text);
  const size_t shortest = unspaced ? 1 : 3;
  const size_t longest = unspaced ? 3 : 5;
  const auto byte = [&](size_t i) {
    return i < points.size() ? static_cast<size_t>(points[i].byte) : text.size();
  };
  std::vector<std::string> out;
  for (size_t n = shortest; n <= longest && n < points.size(); ++n) {
    for (size_t i = 0; i + n <= points.size(); ++i)
      out.push_back(text.substr(byte(i), byte(i + n) - byte(i)));
  }
  return out;
}

}  // namespace hardkuma
