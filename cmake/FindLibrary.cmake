# hardkuma_find(TARGET HEADER LIBRARY): an imported target for a library that has no CMake package.
function(hardkuma_find target header library)
  if(TARGET ${target})
    return()
  endif()
  find_path(HARDKUMA_${library}_INCLUDE ${header} REQUIRED)
  find_library(HARDKUMA_${library}_LIBRARY ${library} REQUIRED)
  mark_as_advanced(HARDKUMA_${library}_INCLUDE HARDKUMA_${library}_LIBRARY)
  add_library(${target} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION ${HARDKUMA_${library}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${HARDKUMA_${library}_INCLUDE})
endfunction()
