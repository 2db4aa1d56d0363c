/* An allocator of jansson that remembers failures. */
#include "memory.h"

#include <jansson.h>
#include <stdlib.h>

/* State outside a run, which tests/layers.sh allows: jansson calls its allocator without an argument. */
static _Thread_local bool memory_failed;

void *sms__note_memory(void *memory)
{
    memory_failed |= memory == NULL;
    return memory;
}

static void *allocate(size_t size) { return sms__note_memory(malloc(size)); }

void sms__watch_memory(void) { json_set_alloc_funcs(allocate, free); }

bool sms__memory_failed(void) { return memory_failed; }
