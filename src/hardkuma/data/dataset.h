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
  std::vector<std::string> value_names;  ///< of the examples' values, where they have any
  int64_t undecided = 0;                 ///< pairs left out: their label is "-", SNLI's for none
  int64_t misplaced_marks = 0;           ///< pairs without gold: it was given for another text
};

struct DataOptions {
  Columns columns;
  Tokenizer tokenizer = Tokenizer::Words;
  int64_t max_tokens = 20000;
  bool truncate = false;
  double dev_fraction = 0.1;
  double test_fraction = 0.1;
  int64_t train_tokens = 0;  ///< train and dev texts are cut to so many; 0: they are not
  bool binarise = false;     ///< scores become classes, see binarise()
  double negative_below = 0.4;
  double positive_above = 0.6;
};

/// Parts by name: "train", "dev" and, where there is one, "test".
struct RawDataset {
  std::map<std::string, RawSplit> splits;
  std::map<std::string, std::string> fingerprints;  ///< of train's and dev's files, by name
};

/// Reads one labelled file whole. Empty files, empty texts and over-long texts are InputErrors. Of
/// pairs, those with the label "-" are left out and counted.
RawSplit read_split(const std::string& path, const DataOptions& options);

/// Throws InputError if the data must be read so many times and cannot be: it is a pipe.
void check_read_again(const std::string& path, size_t times);

/// Scores at or below `low` become the class "negative", at or above `high` "positive"; examples
/// in between are left out.
void binarise(RawSplit& split, double low, double high);

/// Leaves out examples of the larger classes until all are as large as the smallest; which, depends
/// on their texts alone.
void balance(RawSplit& split);

/// A directory with train.*, dev.* (or valid.*, val.*) and test.*, or with names that end in _train
/// and so on, or one file split by a hash of
/// its text, so that equal texts always fall on the same side. A directory without dev gives up a
/// share of train. Or one of beer reviews as Lei et al. name them: reviews.aspectK.train.txt.gz to
/// train on, heldout as dev, annotations.json as test. With `binarise` the train split is balanced.
RawDataset read_dataset(const std::string& path, const DataOptions& options);

/// Splits a whole set by a hash of each text, as a single file is.
RawDataset split_by_hash(RawSplit whole, const DataOptions& options);

/// Which split of a single file a text belongs to: "train", "dev" or "test".
std::string split_of(const std::string& text, double dev_fraction, double test_fraction);

}  // namespace hardkuma
