#include "hardkuma/nn/threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <filesystem>

extern "C" void sgemm_();

namespace hardkuma {

std::unique_ptr<Workers> tensor_workers(int64_t count) {
  at::set_num_threads(1);
  return std::make_unique<Workers>(count, [] { at::set_num_threads(1); });
}

std::string blas_warning() {
  // Debian's reference BLAS and the good ones share one file name; the path tells them apart.
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
