/* libFuzzer: whatever a report of Nsight Systems holds, importing it ends, leaks nothing and says what is wrong. The
 * result loads. Built and started by run.sh. */
#include "scratch.h"

#include "sim/import/import.h"

#ifndef FORMAT
#define FORMAT "nsys"
#define FILE_NAME "report.sqlite"
#endif

enum { SIZE_MAX_OF_INPUT = 256 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[256], *text = NULL;
    size_t length = 0, i = 0;
    if (size > SIZE_MAX_OF_INPUT)
        return -1;
    scratch_write(FILE_NAME, data, size);
    snprintf(path, sizeof path, "%s/" FILE_NAME, scratch());
    while (strcmp(sms__importers[i]->name, FORMAT) != 0)
        i++;
    const struct sms_load_options models = {.installed_models = "models"};
    const struct sms__import_options options = {.load = &models};
    struct sms_errors errors;
    FILE *to = open_memstream(&text, &length);
    int code = sms__import(sms__importers[i], (const char *const[]){path}, 1, &options, to, &errors);
    fclose(to);
    if ((code != SMS_OK) != (errors.count > 0))
        abort();
    if (code == SMS_OK && sms__import_check(path, text, length, &options, &errors)) {
        fwrite(text, 1, length, stderr);
        abort();
    }
    free(text);
    return 0;
}
