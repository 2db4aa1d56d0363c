/* libFuzzer: whatever a sweep's database holds, the report reads it or says what is wrong. Built and started by run.sh.
 */
#include "scratch.h"

#include "sim/page/page.h"

enum { SIZE_MAX_OF_INPUT = 256 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[256];
    if (size > SIZE_MAX_OF_INPUT)
        return -1;
    scratch_write("sweep.db", data, size);
    snprintf(path, sizeof path, "%s/sweep.db", scratch());
    struct sms__page page = {.source = path};
    int code = sms__page_gather(&page);
    if ((code != SMS_OK) != (page.errors.count > 0))
        abort();
    sms__page_release(&page);
    return 0;
}
