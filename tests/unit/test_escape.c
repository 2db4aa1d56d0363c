/* Text on its way out: no bytes, whatever they are, leave as a command, as markup or as anything but UTF-8. */
#include "../harness.h"

#include "../../sim/base/buffer.h"
#include "../../sim/base/escape.h"

#include <jansson.h>

/* What `print` makes of the text; the caller frees it. */
static char *printed(void (*print)(FILE *to, const char *text), const char *text)
{
    struct sms__buffer buffer = {0};
    FILE *to = sms__buffer_open(&buffer);
    assert_non_null(to);
    print(to, text);
    assert_true(sms__buffer_close(&buffer, to));
    return buffer.bytes;
}

static void assert_printed(void (*print)(FILE *to, const char *text), const char *text, const char *expected)
{
    char *got = printed(print, text);
    assert_string_equal(got, expected);
    free(got);
}

static void a_terminal_gets_no_control_character(void **state)
{
    (void)state;
    assert_printed(sms__print_visible, "a\x1b[2Jb\n\x7f", "a\\x1b[2Jb\\x0a\\x7f");
    assert_printed(sms__print_visible,
                   "\xc2\x9b"
                   "31m",
                   "\\xc2\\x9b31m"); /* C1: as ESC [ */
    assert_printed(sms__print_visible, "a\u202eb\u2066c\u2028\u061c",
                   "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6c\\xe2\\x80\\xa8\\xd8\\x9c");
    assert_printed(sms__print_visible, "\u2013 \u2027\u202f\u2065\u206a \u061b\u061d",
                   "\u2013 \u2027\u202f\u2065\u206a \u061b\u061d");
    assert_printed(sms__print_visible, "\xff gr\xc3\xbc\xc3\x9f", "\\xff gr\xc3\xbc\xc3\x9f");
}

static void a_field_of_csv_is_one_field(void **state)
{
    (void)state;
    assert_printed(sms__print_csv, "plain", "plain");
    assert_printed(sms__print_csv, "a,b", "\"a,b\"");
    assert_printed(sms__print_csv, "a\"b\nc", "\"a\"\"b\nc\"");
    assert_printed(sms__print_csv, "a\x1b\xff", "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void text_in_html_is_no_markup(void **state)
{
    (void)state;
    assert_printed(sms__print_markup, "<b>&'\"\xff", "&#60;b&#62;&#38;&#39;&#34;\xef\xbf\xbd");
}

static char *json_text(const char *text)
{
    struct sms__buffer buffer = {0};
    char piece[8];
    sms__buffer_add(&buffer, "\"", 1);
    while (*text) {
        const char *put = sms__json_piece(&text, piece);
        sms__buffer_add(&buffer, put, strlen(put));
    }
    sms__buffer_add(&buffer, "\"", 1);
    return buffer.bytes;
}

/* All strings of up to four bytes of those that begin, continue or break a character. */
static void each_text_of_four_bytes(void (*check)(const char *text))
{
    static const unsigned char bytes[] = {0x01, 0x1f, '"',  '\\', 'x',  'a',  0x7f, 0x80, 0x9f, 0xa0, 0xbf, 0xc0,
                                          0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff};
    const size_t n = sizeof bytes;
    for (size_t i = 0; i < n * n * n * n; i++) {
        const char text[] = {(char)bytes[i % n], (char)bytes[i / n % n], (char)bytes[i / n / n % n],
                             (char)bytes[i / n / n / n], 0};
        check(text);
    }
}

static void check_json(const char *text)
{
    char *json = json_text(text);
    json_t *string = json_loads(json, JSON_DECODE_ANY, NULL);
    if (!string)
        fail_msg("%s is not JSON", json);
    json_decref(string);
    free(json);
}

static void any_bytes_make_a_string_of_json(void **state)
{
    (void)state;
    each_text_of_four_bytes(check_json);
    check_json("\xef\xbf\xbe");
}

static FILE *document;

static void print_element(const char *text)
{
    fputs("<b c=\"", document);
    sms__print_markup(document, text);
    fputs("\"/>", document);
}

/* Python's parser is one that users have. */
static void any_bytes_make_an_attribute_of_xml(void **state)
{
    (void)state;
    document = popen("python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.stdin.buffer)'", "w");
    assert_non_null(document);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>", document);
    each_text_of_four_bytes(print_element);
    print_element("]]>\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd");
    fputs("</a>", document);
    assert_int_equal(pclose(document), 0);
}

static void check_path(const char *path)
{
    char *text = sms__path_text(path);
    assert_non_null(text);
    json_t *string = json_string(text); /* NULL of what is not UTF-8 */
    assert_non_null(string);
    json_decref(string);
    free(text);
}

static void any_path_has_a_text(void **state)
{
    (void)state;
    each_text_of_four_bytes(check_path);
    char *text = sms__path_text("caf\xe9\n.yaml");
    assert_string_equal(text, "caf\\xe9\n.yaml");
    free(text);
}

static void cleaned_text_keeps_its_length(void **state)
{
    (void)state;
    char text[] = "a\x1b\xff\xc3\xbc\xc3";
    sms__clean(text);
    assert_string_equal(text, "a ?\xc3\xbc?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_gets_no_control_character),
        cmocka_unit_test(a_field_of_csv_is_one_field),
        cmocka_unit_test(text_in_html_is_no_markup),
        cmocka_unit_test(any_bytes_make_a_string_of_json),
        cmocka_unit_test(any_bytes_make_an_attribute_of_xml),
        cmocka_unit_test(any_path_has_a_text),
        cmocka_unit_test(cleaned_text_keeps_its_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
