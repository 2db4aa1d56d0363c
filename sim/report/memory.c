/* Allocators of jansson and libxml2 that remember failures. */
#include "memory.h"

#include <jansson.h>
#include <libxml/xmlmemory.h>
#include <stdlib.h>
#include <string.h>

/* State outside a run, which tests/layers.sh allows: the libraries call their allocators without an argument. */
static _Thread_local bool memory_failed;

void *sms__note_memory(void *memory)
{
    memory_failed |= memory == NULL;
    return memory;
}

static void *allocate(size_t size) { return sms__note_memory(malloc(size)); }
static void *resize(void *old, size_t size) { return sms__note_memory(realloc(old, size)); }
static char *duplicate(const char *text) { return sms__note_memory(strdup(text)); }

void sms__watch_memory(void)
{
    json_set_alloc_funcs(allocate, free);
    xmlMemSetup(free, allocate, resize, duplicate);
}

bool sms__memory_failed(void) { return memory_failed; }
