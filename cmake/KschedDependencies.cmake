# Libraries from the distribution; docs/dependencies.md says why each of them.
find_package(Boost 1.74 REQUIRED)
find_package(fmt REQUIRED)
find_package(GTest REQUIRED)
find_package(ZLIB REQUIRED)
find_package(cxxopts REQUIRED)
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/document.h REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)

add_library(ksched_json INTERFACE)
target_include_directories(ksched_json SYSTEM INTERFACE ${RAPIDJSON_INCLUDE_DIR})
target_compile_definitions(ksched_json INTERFACE RAPIDJSON_HAS_STDSTRING=1)

find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp REQUIRED)
add_library(ksched_protobuf INTERFACE)
target_include_directories(ksched_protobuf SYSTEM INTERFACE ${PROTOZERO_INCLUDE_DIR})
