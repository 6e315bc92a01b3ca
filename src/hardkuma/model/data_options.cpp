#include "hardkuma/model/data_options.h"

#include <tuple>

namespace hardkuma {

DataOptions data_options(const Config& config) {
  DataOptions options;
  options.columns = {reads_pairs(config), config.data.text, config.data.second,
                     config.data.label,   config.data.gold, config.data.aspect};
  options.tokenizer = config.data.tokenizer;
  options.max_tokens = config.data.max_tokens;
  options.truncate = config.data.truncate;
  options.dev_fraction = config.data.dev_fraction;
  options.test_fraction = config.data.test_fraction;
  options.train_tokens = config.data.train_tokens;
  options.binarise = !config.data.binarise.empty();
  if (options.binarise) {
    std::tie(options.negative_below, options.positive_above) =
        parse_thresholds(config.data.binarise);
  }
  return options;
}

}  // namespace hardkuma
