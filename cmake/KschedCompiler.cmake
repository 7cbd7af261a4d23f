# How everything is compiled: warnings are errors, and floating point is Go's (no fused operations).
add_library(ksched_options INTERFACE)
target_compile_options(ksched_options INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers -ffp-contract=off -fno-math-errno)
target_include_directories(ksched_options INTERFACE ${PROJECT_SOURCE_DIR}/src)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ksched_options INTERFACE -Wno-restrict)  # false alarms on "text" + string (GCC bug 105651)
endif()

if(KSCHED_SANITIZE)
  set(sanitize -fsanitize=${KSCHED_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(ksched_options INTERFACE ${sanitize})
  target_link_options(ksched_options INTERFACE ${sanitize})
  # g++ warns of uninitialised values that only its own instrumentation brings in.
  target_compile_options(ksched_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # RapidJSON adds 0 to a null pointer, which clang takes amiss.
  target_compile_options(ksched_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=pointer-overflow>)
endif()
if(KSCHED_FUZZ)
  target_compile_options(ksched_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
