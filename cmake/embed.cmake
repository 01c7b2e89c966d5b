# narrowgate_embed(TARGET NAME variable FILES a.json b.json)
# Compiles text files into TARGET as `std::span<const narrowgate::EmbeddedFile> narrowgate::embedded::NAME()`,
# so the program needs no installed data folder.
function(narrowgate_embed)
  cmake_parse_arguments(EMBED "" "TARGET;NAME" "FILES" ${ARGN})
  set(entries "")
  set(count 0)
  foreach(file IN LISTS EMBED_FILES)
    get_filename_component(path "${file}" ABSOLUTE)
    get_filename_component(stem "${file}" NAME)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    file(READ "${path}" hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND entries "static const unsigned char data_${count}[] = {${bytes}0};\n")
    string(APPEND table "    {\"${stem}\", {reinterpret_cast<const char*>(data_${count}), sizeof(data_${count}) - 1}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/embedded_${EMBED_NAME}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT
"#include \"baselines/embedded.h\"
${entries}
namespace narrowgate::embedded {
std::span<const EmbeddedFile> ${EMBED_NAME}() {
  static const EmbeddedFile files[] = {
${table}  };
  return files;
}
}  // namespace narrowgate::embedded
" @ONLY)
  target_sources(${EMBED_TARGET} PRIVATE "${source}")
endfunction()
