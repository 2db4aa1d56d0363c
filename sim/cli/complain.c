/* Messages of the commands themselves. */
#include "cli.h"

#include "../base/escape.h"

#include <stdarg.h>

int cli_fail(int exit_code, const char *where, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sms__print_visible(stderr, where ? where : "");
    fputs(where ? ": error: " : "error: ", stderr);
    sms__print_visible(stderr, text);
    fputc('\n', stderr);
    return exit_code;
}

int cli_no_memory(void) { return cli_fail(EXIT_IO, NULL, "out of memory"); }
