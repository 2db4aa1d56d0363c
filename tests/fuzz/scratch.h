/* A folder in memory for what a fuzzer's input stands for. */
#ifndef TESTS_FUZZ_SCRATCH_H
#define TESTS_FUZZ_SCRATCH_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* run.sh removes it. */
static inline const char *scratch(void)
{
    static char folder[64];
    if (!folder[0]) {
        const char *given = getenv("FUZZ_SCRATCH");
        snprintf(folder, sizeof folder, "%s/XXXXXX", given && strlen(given) < 40 ? given : "/dev/shm");
        if (!mkdtemp(folder))
            abort();
    }
    return folder;
}

static inline void scratch_write(const char *name, const void *bytes, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", scratch(), name);
    unlink(path); /* it may be a link */
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    close(fd);
}

#endif
