#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "hardkuma/data/reader.h"

namespace hardkuma {

/// Reads records in chunks on a thread of its own, one chunk ahead of the caller. A chunk has up to
/// `size` records, fewer if the input would block.
class ReadAhead {
 public:
  ReadAhead(std::unique_ptr<ExampleReader> reader, size_t size);
  ~ReadAhead();  ///< does not wait for input that may never come
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// False at the end of the input, or once `stop` is set. Throws what the reader threw, after the
  /// records before it.
  bool next(std::vector<RawExample>& chunk, const std::atomic<bool>& stop);

  bool waiting() const;  ///< is there a chunk that next() would return at once?

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hardkuma
