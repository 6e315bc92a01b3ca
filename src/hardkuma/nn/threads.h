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

}  // namespace hardkuma
