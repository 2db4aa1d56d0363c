# Writes OUT, a C file with hashes of the files below ROOT that LIST names, one a line. Policies and contention models have
# a hash each, so that a new one changes nothing for those that do not use it; all else has one together.
file(STRINGS ${LIST} files)
set(text "")
set(plugins "")
foreach(file IN LISTS files)
  file(SHA256 ${ROOT}/${file} hash)
  if(file MATCHES "^(policies|models)/")
    string(SUBSTRING ${hash} 0 16 hash)
    string(APPEND plugins "    {\"${file}\", \"${hash}\"},\n")
  else()
    string(APPEND text "${hash}  ${file}\n")
  endif()
endforeach()
string(SHA256 hash "${text}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUT} "/* Written by sim/sources.cmake. Do not edit. */
#include <stddef.h>
struct sms__plugin_source {
    const char *file, *hash;
};
const char *sms__sources(void);
const char *sms__sources(void) { return \"${hash}\"; }
extern const struct sms__plugin_source sms__plugin_sources[];
const struct sms__plugin_source sms__plugin_sources[] = {
${plugins}    {NULL, NULL}};
")
