/* Parses large JSON files as a stream, plain or compressed by gzip. What profilers write is not always JSON: bare `inf`
 * and `nan`, and control characters and backslashes in texts, are mended on the way. */
#ifndef SMS_IMPORT_JSON_STREAM_H
#define SMS_IMPORT_JSON_STREAM_H

#include "gzip.h"
#include "profile.h"

#include <stdbool.h>
#include <yajl/yajl_parse.h>

struct sms__json_stream {
    struct sms__arena *arena;
    struct sms_errors *errors;
    const char *path;
    struct sms__gzip file;                 /* the caller closes it, as the guard could leave the reading at any time */
    const struct sms__import_watch *watch; /* or NULL */
    yajl_handle parser;
    unsigned char *chunk;
    size_t counted; /* bytes of the chunk whose line breaks are counted */
    size_t column;  /* bytes of the line before these */
    unsigned line;
    bool in_text, escaped, in_word;
};

/* Opens the file. Returns SMS_OK, or a code with `errors` filled, except for SMS_ENOMEM. */
int sms__json_open(struct sms__json_stream *stream);
/* Parses the file from its start, in a guard. A callback that returns 0 has reported an error. A file that ends too
 * early is one. Returns as sms__json_open. */
int sms__json_parse(struct sms__json_stream *stream, const yajl_callbacks *callbacks, void *user);
/* In a callback: the line of the text, from 1. */
unsigned sms__json_line(struct sms__json_stream *stream);
/* In a callback: reports a problem in this line. Returns 0. */
int sms__json_complain(struct sms__json_stream *stream, const char *problem);

#endif
