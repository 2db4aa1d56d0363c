# Writes OUT, a C file with the hash of the files below ROOT that LIST names, one a line: of their names and contents.
file(STRINGS ${LIST} files)
set(text "")
foreach(file IN LISTS files)
  file(SHA256 ${ROOT}/${file} hash)
  string(APPEND text "${hash}  ${file}\n")
endforeach()
string(SHA256 hash "${text}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUT} "/* Written by sim/sources.cmake. Do not edit. */
const char *sms__sources(void);
const char *sms__sources(void) { return \"${hash}\"; }
")
