/* Runs a program again and again, in each run another allocation of the whole process fails, its libraries' included,
 * and tells where a run neither ends as it does with enough memory nor fails as it should: exit 4, a message, nothing
 * at the target, no signal. Preloaded into the program; it forks before main, so that a run costs a fork and not an
 * exec.
 *
 *     LD_PRELOAD=libsweep.so SWEEP_DIR=scratch SWEEP_TARGET=path [SWEEP_CLEAN=path] [SWEEP_STRIDE=k] [SWEEP_FROM=n]
 *         [SWEEP_ALL=1] PROGRAM ARGUMENT...
 *
 * Standard output and error go to scratch/stdout and scratch/stderr. SWEEP_TARGET is the file or folder that the
 * program writes; SWEEP_CLEAN, the target unless given, is removed before each run. Allocations n, n + k, n + 2k ...
 * fail, one a run; SWEEP_ALL makes all that follow fail, too. SWEEP_AT=n runs n alone, in the foreground. */
#define _GNU_SOURCE
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

enum { EXIT_MEMORY = 4, COMPLAINTS = 10, SECONDS = 60 };

static atomic_ulong *made; /* allocations of this run, shared with the parent; NULL: not counted */
static unsigned long fail_at;
static bool fail_all;

static bool denied(void)
{
    if (!made)
        return false;
    unsigned long n = atomic_fetch_add(made, 1) + 1;
    bool fails = fail_at && (fail_all ? n >= fail_at : n == fail_at);
    if (fails)
        errno = ENOMEM;
    return fails;
}

void *malloc(size_t size) { return denied() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return denied() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return denied() ? NULL : __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return denied() ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

/* What a run left behind: its exit and a sum over names and bytes of all files, in any order. */
struct outcome {
    int status;
    uint64_t target, output;
    bool wrote, told;
};

static uint64_t sum;
static bool found;

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash;
}

static int add_file(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    static char bytes[65536];
    uint64_t hash = hash_bytes(14695981039346656037u, path, strlen(path));
    ssize_t n;
    (void)st, (void)walk;
    found = true;
    int fd = type == FTW_F ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    while (fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0)
        hash = hash_bytes(hash, bytes, (size_t)n);
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

/* In the child returns true: it is the program. */
static bool run(const char *dir, struct outcome *outcome)
{
    const char *target = setting("SWEEP_TARGET", dir);
    char path[4096];
    bool told, any;
    atomic_ulong *shared = made;
    made = NULL; /* the parent has all the memory it needs */
    nftw(setting("SWEEP_CLEAN", target), remove_one, 16, FTW_DEPTH | FTW_PHYS);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        redirect(dir, "stdout", STDOUT_FILENO);
        redirect(dir, "stderr", STDERR_FILENO);
        alarm(SECONDS);
        made = shared;
        atomic_store(made, 0);
        return true;
    }
    waitpid(pid, &outcome->status, 0);
    outcome->target = sum_of(target, &outcome->wrote);
    snprintf(path, sizeof path, "%s/stdout", dir);
    outcome->output = sum_of(path, &any);
    snprintf(path, sizeof path, "%s/stderr", dir);
    struct stat st;
    told = stat(path, &st) == 0 && st.st_size > 0;
    outcome->told = told;
    made = shared;
    return false;
}

static const char *judge(const struct outcome *whole, const struct outcome *outcome)
{
    if (!WIFEXITED(outcome->status))
        return "ends by a signal";
    if (outcome->status == whole->status)
        return outcome->target != whole->target   ? "writes something else"
               : outcome->output != whole->output ? "prints something else"
                                                  : NULL;
    if (WEXITSTATUS(outcome->status) != EXIT_MEMORY)
        return "ends with another code";
    if (!outcome->told)
        return "says nothing";
    return outcome->wrote && outcome->target != whole->target ? "leaves something at the target" : NULL;
}

/* Returns in the children only. */
static void sweep(const char *dir)
{
    unsigned long stride = strtoul(setting("SWEEP_STRIDE", "1"), NULL, 10);
    unsigned long from = strtoul(setting("SWEEP_FROM", "1"), NULL, 10), runs = 0, wrong = 0, failed = 0, count;
    struct outcome whole, outcome;
    fail_at = 0;
    if (run(dir, &whole))
        return;
    count = atomic_load(made);
    if (whole.status != 0) {
        printf("with enough memory it exits with status %d\n", whole.status);
        fflush(stdout);
        _exit(1);
    }
    for (fail_at = from; fail_at <= count; fail_at += stride, runs++) {
        if (run(dir, &outcome))
            return;
        const char *why = judge(&whole, &outcome);
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
    made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        _exit(1);
    const char *at = getenv("SWEEP_AT");
    if (at)
        fail_at = strtoul(at, NULL, 10);
    else
        sweep(dir);
}
