# The libraries that hardkuma stands on, as targets.
if(HARDKUMA_CUDA)
  # libtorch's own setting, which overrides CMake's.
  if(NOT DEFINED TORCH_CUDA_ARCH_LIST AND NOT DEFINED ENV{TORCH_CUDA_ARCH_LIST})
    set(TORCH_CUDA_ARCH_LIST "8.0;9.0+PTX")
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  # Random keys are constexpr functions: the same source for both processors.
  string(APPEND CMAKE_CUDA_FLAGS " --expt-relaxed-constexpr")
endif()
find_package(Torch REQUIRED)
find_package(fmt REQUIRED)
# libtorch 2 brings fmt's headers along, of another version than the system's library.
set(HARDKUMA_FMT fmt::fmt)
if(Torch_VERSION VERSION_GREATER_EQUAL 2)
  set(HARDKUMA_FMT fmt::fmt-header-only)
endif()
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
if(HARDKUMA_TOOLS)
  find_package(CLI11 REQUIRED)
endif()
find_package(ZLIB REQUIRED)
find_package(BLAS REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc)
find_package(Threads REQUIRED)

# hardkuma_find(NAME HEADER LIBRARY): an imported target for a library without a CMake package, in
# the build tree as hardkuma_NAME and, from hardkumaConfig.cmake, as hardkuma::NAME.
include(${CMAKE_CURRENT_LIST_DIR}/FindLibrary.cmake)
hardkuma_find(hardkuma_liblinear linear.h linear)
