# Writes a source file that holds the page's template, style and script, with digests for its content security policy.
#   cmake -DFOLDER=src/report/page -DOUTPUT=page_files.cpp -P embed.cmake
file(READ "${FOLDER}/page.html" page)
file(READ "${FOLDER}/page.css" style)
set(script "")
foreach(name data plot table page events)
  file(READ "${FOLDER}/${name}.js" text)
  string(APPEND script "${text}")
endforeach()
string(SHA256 style_digest "${style}")
string(SHA256 script_digest "${script}")
file(WRITE "${OUTPUT}" "#include \"report/page_files.h\"

namespace braid {
const std::string_view kPage = R\"page(${page})page\";
const std::string_view kStyle = R\"page(${style})page\";
const std::string_view kScript = R\"page(${script})page\";
const std::string_view kStyleSha256 = \"${style_digest}\";
const std::string_view kScriptSha256 = \"${script_digest}\";
}  // namespace braid
")
