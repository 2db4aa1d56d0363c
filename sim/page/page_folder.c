/* Reads a folder of `run --out` or of `advise --out` into the page's data. */
#include "page.h"

#include "../report/json_write.h"
#include "../report/output.h"

static int read_manifest(struct sms__page *page, json_t **manifest)
{
    int code = sms__read_json(sms__print(&page->arena, "%s/manifest.json", page->source), manifest, &page->errors);
    json_object_set_new(page->data, "run", *manifest);
    json_object_del(*manifest, "files"); /* the page does not need the list of files */
    return code;
}

/* Leaves out texts that are too long for a page. */
static void shorten(struct sms__page *page, json_t *manifest)
{
    size_t i, bytes_left = SMS__PAGE_TEXT;
    json_t *scenario;
    json_array_foreach(json_object_get(manifest, "scenarios"), i, scenario)
    {
        json_t *text = json_object_get(scenario, "text");
        size_t length = json_string_length(text);
        if (length > bytes_left) {
            json_object_set_new(scenario, "text", json_string(""));
            sms__page_note(page, "The text of scenario %.100s has %zu bytes and is left out. It is in manifest.json.",
                           json_string_value(json_object_get(scenario, "scenario")), length);
        } else
            bytes_left -= length;
    }
}

int sms__page_read_folder(struct sms__page *page)
{
    json_t *manifest = NULL;
    json_object_set_new(page->data, "kind", json_string("run"));
    json_t *scenarios = sms__json_keep(page->data, "scenarios", json_array());
    int code = read_manifest(page, &manifest);
    if (code == SMS_OK)
        code = sms__page_read_tables(page, scenarios);
    if (code == SMS_OK)
        shorten(page, manifest);
    if (code == SMS_OK)
        code = sms__page_read_pictures(page, page->source);
    return code;
}

int sms__page_read_advice(struct sms__page *page)
{
    const char *path = sms__print(&page->arena, "%s/advice.json", page->source);
    json_t *manifest, *advice;
    int code = sms__read_json(path, &advice, &page->errors);
    json_t *answer = json_array_get(json_object_get(advice, "lines"), 0);
    if (code == SMS_OK && !json_is_array(json_object_get(advice, "ways")) &&
        !json_is_array(json_object_get(advice, "gpus")))
        code = sms__fail(&page->errors, SMS_EINPUT, path, "is no answer of 'smsched advise'");
    json_object_set_new(page->data, "kind", json_string("advice"));
    json_object_set_new(page->data, "advice", advice);
    json_object_set_new(page->data, "title", answer ? json_incref(answer) : json_string("Which programs share a GPU?"));
    return code == SMS_OK ? read_manifest(page, &manifest) : code;
}
