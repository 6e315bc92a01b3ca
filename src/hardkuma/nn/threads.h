#pragma once

#include <memory>
#include <string>

#include "hardkuma/common/workers.h"

namespace hardkuma {

/// A team whose threads, and the caller's, run every tensor operation on one core: splitting small
/// operations over cores costs more in synchronisation than it gains.
std::unique_ptr<Workers> tensor_workers(int64_t count);

/// A line for the user if matrix products run on the slow reference BLAS, else "".
std::string blas_warning();

/// Makes malloc keep freed memory, in large pages, for the next step's buffers instead of returning
/// it to the system and faulting it in again, which takes a quarter of the time of training on long
/// texts. Changes malloc for the whole process: call it in a training program, before it starts
/// threads.
void keep_freed_memory();

}  // namespace hardkuma
