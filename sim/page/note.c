/* Notes of a page about what was left out, and the progress of reading. */
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

void sms__page_step(struct sms__page *page)
{
    if (page->progress)
        sms__progress_show(page->progress, ++page->done, page->steps, 0);
}
