/* Arena allocation in chunks. Invariant: every byte that sms__alloc hands out is zero, aligned for any type, and
 * lives until sms__arena_release or sms__arena_reset. */
#define _DEFAULT_SOURCE /* madvise */
#include "arena.h"

#include <smsched/error.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Under the address sanitizer, memory that is not handed out is poisoned, and some lies behind each allocation, so that
 * it sees what goes beyond one and is within the chunk. */
#ifndef __has_feature
#define __has_feature(what) 0
#endif
#if __has_feature(address_sanitizer) || defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
enum { BEHIND_BYTES = 64 };
#else
enum { BEHIND_BYTES = 0 };
#define ASAN_POISON_MEMORY_REGION(from, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(from, bytes) ((void)0)
#endif

enum { CHUNK_BYTES = 64 * 1024, ALIGN = 64, HUGE_PAGE = 2 * 1024 * 1024 };
enum { KEPT_BYTES = 4 * 1024 * 1024 };
enum { NO_MEMORY = 1, BEYOND_MOST }; /* why a guard is left */

struct sms__chunk {
    struct sms__chunk *next;
    size_t used, size; /* this head included */
};
_Static_assert(sizeof(struct sms__chunk) <= ALIGN, "a chunk's head lies in its first ALIGN bytes");

int sms__guard(struct sms__arena *arena, int (*body)(void *user), void *user)
{
    jmp_buf here;
    jmp_buf *outer = arena->out_of_memory;
    int code = SMS_ENOMEM;
    arena->out_of_memory = &here;
    switch (setjmp(here)) {
    case 0:
        code = body(user);
        break;
    case BEYOND_MOST:
        code = SMS_EMEMORY;
        break;
    default:
        break;
    }
    arena->out_of_memory = outer;
    return code;
}

static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/* Returns memory, or NULL. Large memory, of whole huge pages, lies in such where the system has them: the events of a
 * large device touch it all over, and each would cost a walk of the page table. */
static void *allocate(size_t bytes)
{
    if (bytes < HUGE_PAGE)
        return aligned_alloc(ALIGN, bytes);
    void *memory = aligned_alloc(HUGE_PAGE, bytes);
#ifdef MADV_HUGEPAGE
    if (memory)
        (void)madvise(memory, bytes, MADV_HUGEPAGE); /* only a hint */
#endif
    return memory;
}

/* Returns a spare chunk of this size; NULL if there is none. A larger one would count for more, so that a limit would
 * depend on what ran before. */
static struct sms__chunk *take_spare(struct sms__arena *arena, size_t size)
{
    struct sms__chunk **at = &arena->spare;
    while (*at && (*at)->size != size)
        at = &(*at)->next;
    struct sms__chunk *chunk = *at;
    if (chunk)
        *at = chunk->next;
    return chunk;
}

void sms__arena_expect(const struct sms__arena *arena, size_t bytes)
{
    if (arena->most && (bytes > arena->most || arena->used > arena->most - bytes))
        longjmp(*arena->out_of_memory, BEYOND_MOST);
}

/* The head of a chunk lies before its bytes: heads of their own between the chunks would keep the allocator from
 * returning the memory of a large run when it has ended. */
static struct sms__chunk *add_chunk(struct sms__arena *arena, size_t bytes)
{
    size_t least = bytes + ALIGN;
    size_t size = least >= HUGE_PAGE ? round_up(least, HUGE_PAGE) : least > CHUNK_BYTES ? least : CHUNK_BYTES;
    sms__arena_expect(arena, size);
    struct sms__chunk *chunk = take_spare(arena, size);
    if (!chunk)
        chunk = allocate(size);
    if (!chunk)
        return NULL;
    arena->used += size;
    chunk->used = ALIGN;
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    ASAN_POISON_MEMORY_REGION((char *)chunk + ALIGN, size - ALIGN);
    return chunk;
}

void sms__arena_give_up(struct sms__arena *arena) { longjmp(*arena->out_of_memory, NO_MEMORY); }

void *sms__alloc(struct sms__arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2 - HUGE_PAGE) / size)
        longjmp(*arena->out_of_memory, arena->most ? BEYOND_MOST : NO_MEMORY);
    size_t bytes = round_up(count * size + BEHIND_BYTES, ALIGN);
    struct sms__chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < bytes)
        chunk = add_chunk(arena, bytes);
    if (!chunk)
        sms__arena_give_up(arena);
    void *memory = (char *)chunk + chunk->used;
    chunk->used += bytes;
    ASAN_UNPOISON_MEMORY_REGION(memory, count * size);
    return memset(memory, 0, BEHIND_BYTES ? count * size : bytes);
}

void *sms__enlarge(struct sms__arena *arena, const void *items, size_t count, size_t room, size_t size)
{
    void *larger = sms__alloc(arena, room, size);
    return count ? memcpy(larger, items, count * size) : larger;
}

void *sms__grow(struct sms__arena *arena, void *items, size_t count, size_t size)
{
    if (count & (count - 1))
        return items;
    return sms__enlarge(arena, items, count, count ? 2 * count : 1, size);
}

char *sms__copy(struct sms__arena *arena, const char *text, size_t length)
{
    char *copy = sms__alloc(arena, length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

char *sms__vprint(struct sms__arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    char *text = sms__alloc(arena, size, 1);
    vsnprintf(text, size, format, args);
    return text;
}

char *sms__print(struct sms__arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = sms__vprint(arena, format, args);
    va_end(args);
    return text;
}

/* Returns what a file of the kernel's says first, or `otherwise` if it says no number, as "max" is none. */
static uint64_t read_number(const char *path, uint64_t otherwise)
{
    unsigned long long number;
    FILE *file = fopen(path, "re");
    bool found = file && fscanf(file, "%llu", &number) == 1;
    if (file)
        fclose(file);
    return found ? number : otherwise;
}

size_t sms__memory_most(uint64_t given)
{
    if (given)
        return given < SIZE_MAX ? (size_t)given : SIZE_MAX;
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t group = read_number("/sys/fs/cgroup/memory.max", machine), most = (group < machine ? group : machine) / 2;
    return most < SIZE_MAX ? (size_t)most : SIZE_MAX;
}

static void free_chunks(struct sms__chunk *chunk)
{
    for (struct sms__chunk *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
}

void sms__arena_release(struct sms__arena *arena)
{
    free_chunks(arena->chunks);
    free_chunks(arena->spare);
    arena->chunks = arena->spare = NULL;
    arena->used = 0;
}

void sms__arena_reset(struct sms__arena *arena)
{
    size_t kept = 0;
    struct sms__chunk *spare = arena->spare, *next;
    for (struct sms__chunk *chunk = spare; chunk; chunk = chunk->next)
        kept += chunk->size;
    for (struct sms__chunk *chunk = arena->chunks; chunk; chunk = next) {
        next = chunk->next;
        if (kept + chunk->size > KEPT_BYTES) {
            free(chunk);
            continue;
        }
        kept += chunk->size;
        chunk->next = spare;
        spare = chunk;
    }
    arena->chunks = NULL;
    arena->spare = spare;
    arena->used = 0;
}

/* The scratch arena shares the guard of the other one, so that either of them leaves the body by the same way. */
struct use {
    struct sms__arena *arena, scratch;
    int (*body)(void *user, struct sms__arena *scratch);
    void *user;
};

static int use_scratch(void *user)
{
    struct use *use = user;
    use->scratch.most = use->arena->most;
    use->scratch.out_of_memory = use->arena->out_of_memory;
    return use->body(use->user, &use->scratch);
}

int sms__scratch(struct sms__arena *arena, int (*body)(void *user, struct sms__arena *scratch), void *user)
{
    struct use use = {.arena = arena, .body = body, .user = user};
    int code = sms__guard(arena, use_scratch, &use);
    sms__arena_release(&use.scratch);
    return code;
}
