/* Runs a program again and again while one allocation fails, another in each run. Allocations of libraries count.
 * Reports each run that neither ends as with enough memory nor fails as it should. A run that fails must exit with 4,
 * print a message, leave nothing at the target, and not end by a signal. The library is preloaded into the program and
 * forks before main, so that a run costs a fork and not an exec.
 *
 *     LD_PRELOAD=libsweep.so SWEEP_DIR=scratch SWEEP_TARGET=path [SWEEP_CLEAN=path] [SWEEP_RUNS=n] [SWEEP_ALL=1]
 *         PROGRAM ARGUMENT...
 *
 * Standard output and error go to scratch/stdout and scratch/stderr. SWEEP_TARGET is the file or folder that the
 * program writes. SWEEP_CLEAN, by default the target, is removed before each run. One allocation fails in each
 * run, in n of them at most, equally far apart; without SWEEP_RUNS each. With SWEEP_ALL all later allocations fail,
 * too. SWEEP_AT=n runs only the n-th, in the foreground. SWEEP_LIBRARY=libgsl counts those of that library alone, which
 * may be few. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **out, size_t alignment, size_t size);

enum { EXIT_MEMORY = 4, COMPLAINTS = 10, SECONDS = 600 };

static atomic_ulong *allocations; /* number of allocations of this run, shared with the parent; NULL: not counted */
static unsigned long fail_at;
static bool fail_all;
static const char *library; /* NULL: all count */

static bool must_fail(const void *caller)
{
    Dl_info of;
    if (!allocations || (library && (!dladdr(caller, &of) || !strstr(of.dli_fname, library))))
        return false;
    unsigned long n = atomic_fetch_add(allocations, 1) + 1;
    bool fails = fail_at && (fail_all ? n >= fail_at : n == fail_at);
    if (fails)
        errno = ENOMEM;
    return fails;
}

#define FAILS must_fail(__builtin_return_address(0))

void *malloc(size_t size) { return FAILS ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return FAILS ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return FAILS ? NULL : __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return FAILS ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

/* What a run left behind: its exit status, and hashes of all files that do not depend on their order. */
struct outcome {
    int status;
    uint64_t target, output;
    bool wrote, has_message;
};

static uint64_t sum;
static bool found;

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash;
}

/* Clears the times that JUnit files have: they differ from run to run. */
static void clear_times(char *bytes, size_t size)
{
    static const char attribute[] = " time=\"";
    for (char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), attribute, sizeof attribute - 1));)
        for (at += sizeof attribute - 1; at < bytes + size && *at != '"'; at++)
            *at = ' ';
}

static int add_file(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    static char bytes[65536];
    uint64_t hash = hash_bytes(14695981039346656037u, path, strlen(path));
    ssize_t n;
    (void)st, (void)walk;
    found = true;
    int fd = type == FTW_F ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    while (fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0) {
        clear_times(bytes, (size_t)n);
        hash = hash_bytes(hash, bytes, (size_t)n);
    }
    if (fd >= 0)
        close(fd);
    sum += hash;
    return 0;
}

static uint64_t sum_of(const char *path, bool *there)
{
    sum = 0;
    found = false;
    nftw(path, add_file, 16, FTW_PHYS);
    *there = found;
    return sum;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st, (void)type, (void)walk;
    return remove(path);
}

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value ? value : otherwise;
}

static void redirect(const char *dir, const char *name, int to)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(fd, to);
    close(fd);
}

/* Returns true in the child, which goes on as the program. */
static bool run(const char *dir, struct outcome *outcome)
{
    const char *target = setting("SWEEP_TARGET", dir);
    char path[4096];
    bool has_message, any;
    atomic_ulong *shared = allocations;
    allocations = NULL; /* no allocation of the parent fails */
    nftw(setting("SWEEP_CLEAN", target), remove_one, 16, FTW_DEPTH | FTW_PHYS);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        redirect(dir, "stdout", STDOUT_FILENO);
        redirect(dir, "stderr", STDERR_FILENO);
        alarm(SECONDS);
        allocations = shared;
        atomic_store(allocations, 0);
        return true;
    }
    waitpid(pid, &outcome->status, 0);
    outcome->target = sum_of(target, &outcome->wrote);
    snprintf(path, sizeof path, "%s/stdout", dir);
    outcome->output = sum_of(path, &any);
    snprintf(path, sizeof path, "%s/stderr", dir);
    struct stat st;
    has_message = stat(path, &st) == 0 && st.st_size > 0;
    outcome->has_message = has_message;
    allocations = shared;
    return false;
}

static const char *judge(const struct outcome *reference, const struct outcome *outcome)
{
    if (!WIFEXITED(outcome->status))
        return "ends by a signal";
    if (outcome->status == reference->status)
        return outcome->target != reference->target   ? "writes something else"
               : outcome->output != reference->output ? "prints something else"
                                                      : NULL;
    if (WEXITSTATUS(outcome->status) != EXIT_MEMORY)
        return "ends with another code";
    if (!outcome->has_message)
        return "prints no message";
    return outcome->wrote && outcome->target != reference->target ? "leaves something at its target" : NULL;
}

/* Returns only in the children. */
static void sweep(const char *dir)
{
    unsigned long most = strtoul(setting("SWEEP_RUNS", "0"), NULL, 10), runs = 0, wrong = 0, failed = 0, count;
    struct outcome reference, outcome;
    fail_at = 0;
    if (run(dir, &reference))
        return;
    count = atomic_load(allocations);
    if (reference.status != 0) {
        printf("with enough memory it exits with status %d\n", reference.status);
        fflush(stdout);
        _exit(1);
    }
    const unsigned long stride = most ? (count + most - 1) / most : 1;
    for (fail_at = 1 + count % stride; fail_at <= count; fail_at += stride, runs++) {
        if (run(dir, &outcome))
            return;
        const char *why = judge(&reference, &outcome);
        failed += WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == EXIT_MEMORY;
        wrong += why != NULL;
        if (why && wrong <= COMPLAINTS)
            printf("  allocation %lu of %lu: %s (status %#x)\n", fail_at, count, why, (unsigned)outcome.status);
    }
    printf("%lu allocations, %lu runs, %lu of them exit 4, %lu wrong\n", count, runs, failed, wrong);
    fflush(stdout);
    _exit(wrong > 0);
}

__attribute__((constructor)) static void begin(void)
{
    const char *dir = getenv("SWEEP_DIR");
    if (!dir)
        return;
    unsetenv("LD_PRELOAD");
    fail_all = getenv("SWEEP_ALL") != NULL;
    library = getenv("SWEEP_LIBRARY");
    allocations = mmap(NULL, sizeof *allocations, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (allocations == MAP_FAILED)
        _exit(1);
    const char *only = getenv("SWEEP_AT");
    if (only)
        fail_at = strtoul(only, NULL, 10);
    else
        sweep(dir);
}
