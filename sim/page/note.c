/* Notes of a page about what was left out. */
#include "page.h"

#include "../report/json_write.h"

#include <stdarg.h>

void sms__page_note(struct sms__page *page, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(page->notes, sms__json_text(text));
}
