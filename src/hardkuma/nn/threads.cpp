#include "hardkuma/nn/threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "hardkuma/common/error.h"
#include "hardkuma/nn/blas.h"

namespace hardkuma {

std::unique_ptr<Workers> tensor_workers(int64_t count) {
  if (count > kMostWorkers) throw InputError("{} workers: at most {}", count, kMostWorkers);
  at::set_num_threads(1);
  return std::make_unique<Workers>(count, [] { at::set_num_threads(1); });
}

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);  // one heap: other threads can reuse what one frees
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  // The heap's next gigabyte: allocated but not touched, then freed for later use.
  constexpr size_t kAhead = size_t{1} << 30;
  constexpr uintptr_t kPage = uintptr_t{1} << 21;
  void* ahead = std::malloc(kAhead);
  if (ahead == nullptr) return;
  const uintptr_t from = (reinterpret_cast<uintptr_t>(ahead) + kPage - 1) / kPage * kPage;
  const uintptr_t to = (reinterpret_cast<uintptr_t>(ahead) + kAhead) / kPage * kPage;
  madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
  std::free(ahead);
#endif
}

std::string blas_warning() {
  // Debian's reference BLAS and the optimised ones share one file name; their paths differ.
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&sgemm_), &info) == 0 || info.dli_fname == nullptr) return "";
  std::error_code error;
  const std::string path = std::filesystem::canonical(info.dli_fname, error).string();
  const bool reference = path.find("/blas/libblas") != std::string::npos;
  if (error || !reference) return "";
  return "warning: matrix products use the slow reference BLAS (" + path +
         "); install OpenBLAS: apt-get install libopenblas0-openmp";
}

}  // namespace hardkuma
