/* Numbers, levels, units and sizes as profilers print them. */
#include "sim/import/numbers.c"

#include "tests/harness.h"

#define NUMBER(text, decimal, expected)                                                                                \
    assert_int_equal(sms__number_read(text, SMS__DECIMAL_##decimal, &number), SMS__NUMBER_VALUE);                      \
    assert_true(number.value == (expected))
#define KIND(text, kind) assert_int_equal(sms__number_read(text, SMS__DECIMAL_POINT, &number), SMS__NUMBER_##kind)

static void reads_numbers(void **state)
{
    struct sms__number number;
    (void)state;
    NUMBER("0", POINT, 0);
    NUMBER(" 42 ", POINT, 42);
    NUMBER("-1.5", POINT, -1.5);
    NUMBER("+.5", POINT, 0.5);
    NUMBER("1e3", POINT, 1000);
    NUMBER("1.5E-3", COMMA, 1.5e-3);
    NUMBER("1,234", POINT, 1234);
    NUMBER("1,234", COMMA, 1.234);
    NUMBER("1.234", POINT, 1.234);
    NUMBER("1.234", COMMA, 1234);
    NUMBER("1,234,567", COMMA, 1234567);
    NUMBER("1.234.567", POINT, 1234567);
    NUMBER("1,234.5", COMMA, 1234.5);
    NUMBER("1.234,5", POINT, 1234.5);
    NUMBER("12,34,567.25", POINT, 1234567.25);
    NUMBER("0,123", POINT, 0.123);
    NUMBER("1234,5", POINT, 1234.5);
    NUMBER("1 234 567,5", POINT, 1234567.5);
    NUMBER("1'234.5", POINT, 1234.5);
    NUMBER("123 (100; 23)", POINT, 123);
    NUMBER("18446744073709551615", POINT, 18446744073709551615.0);
}

static void keeps_units(void **state)
{
    struct sms__number number;
    (void)state;
    NUMBER("504.88GB/s", POINT, 504.88);
    assert_int_equal(number.unit_length, 4);
    assert_memory_equal(number.unit, "GB/s", 4);
    NUMBER("99.5%", POINT, 99.5);
    assert_int_equal(number.unit_length, 1);
    NUMBER("8.6720us", POINT, 8.672);
    assert_memory_equal(number.unit, "us", 2);
}

static void reads_levels(void **state)
{
    struct sms__number number;
    (void)state;
    KIND("High (7)", LEVEL);
    assert_true(number.value == 7);
    KIND("Idle (0)", LEVEL);
    assert_true(number.value == 0);
    KIND("Mid", LEVEL);
    assert_true(number.value == 5);
    KIND("High (11)", TEXT);
    KIND("High (", TEXT);
    KIND("Higher", TEXT);
}

static void tells_what_is_none(void **state)
{
    static const char *const none[] = {"", "n/a", "N/A", "nan", "-nan", "inf", "<OVERFLOW>", "-", "(!) n/a"};
    static const char *const text[] = {"PolicySpread", "all",         "0x12",     "1.2.3",        "1,23,4",
                                       "12,3456,789",  "2020-Apr-16", "1..2",     "--1",          "1 2",
                                       "1e999",        "5 (",         "\xff\xfe", "1,234.567.890"};
    struct sms__number number;
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        KIND(none[i], NONE);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (sms__number_read(text[i], SMS__DECIMAL_POINT, &number) != SMS__NUMBER_TEXT)
            fail_msg("'%s' is read as a number", text[i]);
    assert_int_equal(sms__number_read("1,234", SMS__DECIMAL_UNCLEAR, &number), SMS__NUMBER_AMBIGUOUS);
    assert_int_equal(sms__number_read("1,234.5", SMS__DECIMAL_UNCLEAR, &number), SMS__NUMBER_VALUE);
}

static void finds_what_separates_decimals(void **state)
{
    static const struct {
        const char *text;
        size_t points, commas;
    } cases[] = {{"1.5", 1, 0},     {"1,5", 0, 1},     {"1.234", 0, 0},     {"1,234", 0, 0},
                 {"1.234,5", 0, 1}, {"1,234.5", 1, 0}, {"1,234,567", 1, 0}, {"1.234.567", 0, 1},
                 {"0.123", 1, 0},   {"1234", 0, 0},    {"1234.567", 1, 0},  {"text", 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t points = 0, commas = 0;
        sms__number_detect(cases[i].text, &points, &commas);
        if (points != cases[i].points || commas != cases[i].commas)
            fail_msg("'%s' counts as %zu points and %zu commas", cases[i].text, points, commas);
    }
    assert_int_equal(sms__number_decimal(0, 0), SMS__DECIMAL_POINT);
    assert_int_equal(sms__number_decimal(0, 1), SMS__DECIMAL_COMMA);
    assert_int_equal(sms__number_decimal(10, 1), SMS__DECIMAL_POINT);
    assert_int_equal(sms__number_decimal(9, 1), SMS__DECIMAL_UNCLEAR);
    assert_int_equal(sms__number_decimal(1, 10), SMS__DECIMAL_COMMA);
}

static void converts_units(void **state)
{
    (void)state;
    assert_true(sms__to_seconds(9, "ns") == 9e-9);
    assert_true(sms__to_seconds(9, "usecond") == 9e-6);
    assert_true(sms__to_seconds(9, "s") == 9);
    assert_true(isnan(sms__to_seconds(9, "cycle")));
    assert_true(sms__to_bytes(3, "Kbyte/block") == 3000);
    assert_true(sms__to_bytes(3, "KB") == 3072);
    assert_true(isnan(sms__to_bytes(3, "%")));
}

static void reads_sizes(void **state)
{
    uint64_t size[3];
    (void)state;
    assert_true(sms__dimensions_read("(9, 32, 1)", SMS__DECIMAL_POINT, size));
    assert_true(size[0] == 9 && size[1] == 32 && size[2] == 1);
    assert_true(sms__dimensions_read("640x2x1", SMS__DECIMAL_POINT, size));
    assert_true(size[0] == 640 && size[1] == 2 && size[2] == 1);
    assert_true(sms__dimensions_read("97,152", SMS__DECIMAL_POINT, size));
    assert_true(size[0] == 97152 && size[1] == 1 && size[2] == 1);
    assert_false(sms__dimensions_read("(1, 2, 3, 4)", SMS__DECIMAL_POINT, size));
    assert_false(sms__dimensions_read("(a, 1, 1)", SMS__DECIMAL_POINT, size));
    assert_false(sms__dimensions_read("1.5", SMS__DECIMAL_POINT, size));
    assert_false(sms__dimensions_read("-1", SMS__DECIMAL_POINT, size));
    assert_false(sms__dimensions_read("x", SMS__DECIMAL_POINT, size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_numbers),
                                       cmocka_unit_test(keeps_units),
                                       cmocka_unit_test(reads_levels),
                                       cmocka_unit_test(tells_what_is_none),
                                       cmocka_unit_test(finds_what_separates_decimals),
                                       cmocka_unit_test(converts_units),
                                       cmocka_unit_test(reads_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
