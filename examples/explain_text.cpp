// Loads a model and explains a string:  explain_text MODEL "some text"
#include <hardkuma/report/explainer.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  if (argc != 3) return std::fputs("usage: explain_text MODEL TEXT\n", stderr), 2;
  hardkuma::Explainer explainer(argv[1]);
  const hardkuma::Explanation explanation = explainer.explain(argv[2]);
  std::puts(hardkuma::highlighted(explanation, /*colour=*/false).c_str());
  std::puts(hardkuma::to_json_line(explanation).c_str());
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
