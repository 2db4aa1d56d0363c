/* Texts of imported files: names and comments that YAML can hold. */
#ifndef SMS_IMPORT_TEXT_H
#define SMS_IMPORT_TEXT_H

#include "../base/arena.h"

#include <stddef.h>

/* A name for a scenario, from a path: its last part without the extension. '_' replaces what a name cannot contain. */
const char *sms__import_name(struct sms__arena *arena, const char *path);
/* A copy of the text's first characters (NULL: ""), at most so many bytes. What a YAML comment or quoted text cannot
 * hold, or a terminal would obey, becomes ' ', '?' or U+FFFD. */
const char *sms__derive_text(struct sms__arena *arena, const char *text, size_t most);

#endif
