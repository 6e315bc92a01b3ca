#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hardkuma/data/example.h"
#include "hardkuma/data/reader.h"
#include "hardkuma/data/tokenizer.h"

namespace hardkuma {

/// One split of a data set as read: raw records with their tokens, and the file they came from.
struct RawSplit {
  std::string path;
  std::string fingerprint;  ///< of the file's bytes, as they were read
  std::vector<RawExample> examples;
  std::string aspect;                    ///< of beer reviews, by name; "" for other data
  std::vector<std::string> value_names;  ///< of the examples' values, if they have any
  int64_t undecided = 0;                 ///< pairs left out: label "-", SNLI's mark for no label
  int64_t misplaced_marks = 0;           ///< pairs whose gold was dropped: it marks another text
};

struct DataOptions {
  Columns columns;
  Tokenizer tokenizer = Tokenizer::Words;
  int64_t max_tokens = 20000;
  bool truncate = false;
  double dev_fraction = 0.1;
  double test_fraction = 0.1;
  int64_t train_tokens = 0;  ///< train and dev texts are cut to this many tokens; 0: uncut
  bool binarise = false;     ///< scores become classes, see binarise()
  double negative_below = 0.4;
  double positive_above = 0.6;
};

/// Splits by name: "train", "dev" and, if there is one, "test".
struct RawDataset {
  std::map<std::string, RawSplit> splits;
  std::map<std::string, std::string> fingerprints;  ///< of train's and dev's files, by name
};

/// Reads one labelled file whole. Empty files, empty texts and over-long texts are InputErrors.
/// Pairs with the label "-" are left out and counted.
RawSplit read_split(const std::string& path, const DataOptions& options);

/// Throws InputError if the data must be read more than once but is a pipe.
void check_read_again(const std::string& path, size_t times);

/// Scores at or below `low` become the class "negative", at or above `high` "positive"; examples
/// in between are left out.
void binarise(RawSplit& split, double low, double high);

/// Leaves out examples of the larger classes until all classes are as large as the smallest. Which
/// examples are left out depends only on their texts.
void balance(RawSplit& split);

/// Reads a directory with train.*, dev.* (or valid.*, val.*) and test.*, or with names that end in
/// _train and so on; without dev, a share of train is held out. Or one file, split by a hash of
/// each text, so that equal texts are always in the same split. Or a directory of beer reviews,
/// named as by Lei et al.: reviews.aspectK.train.txt.gz is train, heldout is dev, annotations.json
/// is test. With `binarise` the train split is balanced.
RawDataset read_dataset(const std::string& path, const DataOptions& options);

/// Splits a whole set by a hash of each text, as for a single file.
RawDataset split_by_hash(RawSplit whole, const DataOptions& options);

/// Which split of a single file a text belongs to: "train", "dev" or "test".
std::string split_of(const std::string& text, double dev_fraction, double test_fraction);

}  // namespace hardkuma
