# Warnings are errors in our own code; the libraries' headers come in as SYSTEM.
add_library(hardkuma_flags INTERFACE)
# -Wno-restrict: g++ 12 reports std::string's own operator+ (GCC bug 105329). -Wno-array-bounds and
# -Wno-stringop-overflow: g++ 13 reports a list of bools inside libtorch 2.
target_compile_options(hardkuma_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${HARDKUMA_WERROR}>:-Werror>>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(hardkuma_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow>)
endif()
# Clang, for the sanitizers, takes the same alias in two sources of a unity build for shadowing.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(hardkuma_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>)
endif()
