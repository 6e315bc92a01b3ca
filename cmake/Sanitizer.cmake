# Instruments all of our own code; libtorch stays as it is.
if(HARDKUMA_SANITIZER STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Coverage counters for libFuzzer; cheap.
    add_compile_options(-fsanitize=fuzzer-no-link,float-cast-overflow
      -fno-sanitize-recover=float-cast-overflow)
    set(HARDKUMA_FUZZ ON)
  endif()
elseif(HARDKUMA_SANITIZER STREQUAL "thread")
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(HARDKUMA_SANITIZER)
  message(FATAL_ERROR "HARDKUMA_SANITIZER: address or thread, not ${HARDKUMA_SANITIZER}")
endif()
if(HARDKUMA_SANITIZER)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # In another order clang 14 takes libtorch 1.13's IValue for incomplete where C++20 needs it.
    add_compile_options("SHELL:-include ATen/core/ivalue.h")
  endif()
  add_compile_options(-fno-omit-frame-pointer)
  add_compile_definitions(HARDKUMA_SANITIZED)
endif()
