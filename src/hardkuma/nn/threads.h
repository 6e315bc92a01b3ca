#pragma once

#include <memory>
#include <string>

#include "hardkuma/common/workers.h"

namespace hardkuma {

/// A team whose threads, and the caller's, run every tensor operation on one core: small
/// operations lose more to waiting for each other than they gain.
std::unique_ptr<Workers> tensor_workers(int64_t count);

/// A line for the user if matrix products run on the slow reference BLAS, else "".
std::string blas_warning();

/// Has this process keep the memory it frees, in large pages, for the next step's buffers instead
/// of returning it to the system and faulting it in again: a quarter of the time of training on
/// long texts. For a program that trains, before it starts threads; changes malloc for the whole
/// process.
void keep_freed_memory();

}  // namespace hardkuma
