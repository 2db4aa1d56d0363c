/* yajl parses the file; its memory is the arena's. */
#include "json_stream.h"

#include <ctype.h>
#include <string.h>

enum { CHUNK = 1 << 18 };

unsigned sms__json_line(struct sms__json_stream *stream)
{
    size_t end = yajl_get_bytes_consumed(stream->parser);
    const unsigned char *at = stream->chunk + stream->counted, *to = stream->chunk + end, *next;
    for (; at < to && (next = memchr(at, '\n', (size_t)(to - at))); at = next + 1) {
        stream->line++;
        stream->column = 0;
    }
    stream->column += at < to ? (size_t)(to - at) : 0;
    stream->counted = end > stream->counted ? end : stream->counted;
    return stream->line;
}

static bool is_hex(const unsigned char *text, size_t length)
{
    size_t i = 0;
    while (i < 4 && i < length && isxdigit(text[i]))
        i++;
    return i == 4 || i == length; /* the rest comes with the next chunk */
}

/* Replaces in place what is not JSON but occurs: in texts, control characters, and backslashes before other characters
 * than JSON has; outside of them, inf, nan and their longer spellings. */
static void mend(struct sms__json_stream *stream, unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = text[i];
        if (stream->in_text) {
            bool odd = c < ' ' || (stream->escaped &&
                                   (!strchr("\"\\/bfnrtu", c) || (c == 'u' && !is_hex(text + i + 1, length - i - 1))));
            text[i] = odd ? (unsigned char)(stream->escaped ? '/' : ' ') : c;
            stream->in_text = stream->escaped || c != '"';
            stream->escaped = !stream->escaped && c == '\\';
        } else if (stream->in_word && isalpha(c)) {
            text[i] = ' ';
        } else {
            bool nan = c == 'n' && i + 1 < length && text[i + 1] == 'a';
            stream->in_word = nan || c == 'i' || c == 'I' || c == 'N';
            stream->in_text = c == '"';
            text[i] = stream->in_word ? '0' : c;
        }
    }
}

/* The parser's memory is the arena's. */
static void *parser_alloc(void *arena, size_t size)
{
    size_t *block = (size_t *)(void *)SMS__NEW(arena, max_align_t, size / sizeof(max_align_t) + 2);
    *block = size;
    return (char *)block + sizeof(max_align_t);
}

static void parser_free(void *arena, void *block) { (void)arena, (void)block; }

static void *parser_realloc(void *arena, void *block, size_t size)
{
    void *moved = parser_alloc(arena, size);
    if (!block)
        return moved;
    size_t before = *(size_t *)(void *)((char *)block - sizeof(max_align_t));
    memcpy(moved, block, before < size ? before : size);
    return moved;
}

static int fail_at(struct sms__json_stream *stream, const char *problem)
{
    sms__json_line(stream);
    sms__error(stream->errors, SMS_EINPUT,
               (struct sms__mark){stream->path, NULL, stream->line, (unsigned)stream->column + (stream->column == 0)},
               "%s", problem);
    return SMS_EINPUT;
}

/* What the parser says, in its first line: "lexical error: invalid char in json text." */
static int fail_json(struct sms__json_stream *stream)
{
    unsigned char *text = yajl_get_error(stream->parser, 0, NULL, 0);
    if (!text)
        return SMS_ENOMEM;
    const char *reason = strstr((const char *)text, ": ");
    reason = reason ? reason + 2 : (const char *)text;
    const char *line = sms__print(stream->arena, "is not JSON: %.*s", (int)strcspn(reason, ".\n"), reason);
    yajl_free_error(stream->parser, text);
    return fail_at(stream, line);
}

int sms__json_parse(struct sms__json_stream *stream, const yajl_callbacks *callbacks, void *user)
{
    yajl_alloc_funcs memory = {parser_alloc, parser_realloc, parser_free, stream->arena};
    stream->parser = yajl_alloc(callbacks, &memory, user);
    yajl_config(stream->parser, yajl_dont_validate_strings, 1);
    stream->chunk = SMS__NEW(stream->arena, unsigned char, CHUNK);
    stream->line = 1;
    yajl_status status = yajl_status_ok;
    while (status == yajl_status_ok) {
        size_t length;
        int code = sms__gzip_read(&stream->file, stream->chunk, CHUNK, &length, stream->errors);
        if (code != SMS_OK)
            return code;
        if (length == 0)
            break;
        if (stream->watch)
            stream->watch->show(stream->watch->user, (uint64_t)gzoffset(stream->file.file), stream->file.file_size);
        mend(stream, stream->chunk, length);
        stream->counted = 0;
        status = yajl_parse(stream->parser, stream->chunk, length);
        if (status == yajl_status_ok)
            sms__json_line(stream);
    }
    if (stream->errors->count)
        return SMS_EINPUT;
    if (status != yajl_status_ok)
        return fail_json(stream);
    if (stream->file.total == 0)
        return sms__fail(stream->errors, SMS_EINPUT, stream->path, "is empty");
    if (yajl_complete_parse(stream->parser) != yajl_status_ok)
        return fail_at(stream, "the file ends in the middle: the program was stopped before it had written all of it");
    return SMS_OK;
}

int sms__json_complain(struct sms__json_stream *stream, const char *problem)
{
    sms__error(stream->errors, SMS_EINPUT, (struct sms__mark){stream->path, NULL, sms__json_line(stream), 1}, "%s",
               problem);
    return 0;
}

int sms__json_open(struct sms__json_stream *stream)
{
    return sms__gzip_open(&stream->file, stream->path, INT64_MAX, stream->errors);
}
