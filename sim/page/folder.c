#include "page.h"

#include <errno.h>
#include <string.h>

/* manifest.json as it is, its texts cut where they are too long for a page. */
static int read_manifest(struct sms__page *page)
{
    json_error_t error;
    size_t i, room = SMS__PAGE_TEXT;
    json_t *scenario;
    const char *path = sms__print(&page->arena, "%s/manifest.json", page->source);
    json_t *manifest = json_load_file(path, 0, &error);
    if (!manifest)
        return error.line < 0 ? sms__fail(&page->errors, SMS_EIO, path, "cannot be read: %s", strerror(errno))
                              : sms__fail(&page->errors, SMS_EINPUT, path, "line %d: %s", error.line, error.text);
    json_object_del(manifest, "files"); /* a page is not about the folder's files */
    json_object_set_new(page->data, "run", manifest);
    json_array_foreach(json_object_get(manifest, "scenarios"), i, scenario)
    {
        json_t *text = json_object_get(scenario, "text");
        size_t length = json_string_length(text);
        if (length > room) {
            json_object_set_new(scenario, "text", json_string(""));
            sms__page_note(page, "The text of scenario %.100s has %zu bytes and is left out: it is in manifest.json.",
                           json_string_value(json_object_get(scenario, "scenario")), length);
        } else
            room -= length;
    }
    return SMS_OK;
}

int sms__page_read_folder(struct sms__page *page)
{
    json_t *scenarios = json_array();
    json_object_set_new(page->data, "kind", json_string("run"));
    json_object_set_new(page->data, "scenarios", scenarios);
    int code = read_manifest(page);
    if (code == SMS_OK)
        code = sms__page_read_tables(page, scenarios);
    if (code == SMS_OK)
        code = sms__page_read_pictures(page, page->source);
    return code;
}
