/* Whether a record says that limits are met. Any number may stand there, because a store may be damaged. */
#include "../harness.h"

#include "../../sim/sweep/store.h"

#include <math.h>

/* Reads the number, of which the record has so many bytes. */
static enum sms__told read_told(double number, size_t size, bool *failed)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    char bytes[sizeof bits];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(bits >> 8 * i & 0xff);
    struct sms__content content = {bytes, size, false};
    const enum sms__told told = sms__content_told(&content);
    *failed = content.failed;
    return told;
}

static void each_answer_is_read(void **state)
{
    (void)state;
    for (int told = SMS__MISSED; told <= SMS__MET; told++) {
        bool failed;
        assert_int_equal(read_told(told, 8, &failed), told);
        assert_false(failed);
    }
}

static void what_is_no_answer_fails(void **state)
{
    (void)state;
    const double none[] = {-2, 2, 3, 1e34, -1e34, NAN, INFINITY};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        bool failed;
        assert_int_equal(read_told(none[i], 8, &failed), SMS__NOT_TOLD);
        assert_true(failed);
    }
}

static void a_record_that_is_cut_fails(void **state)
{
    (void)state;
    bool failed;
    assert_int_equal(read_told(1, 7, &failed), SMS__NOT_TOLD);
    assert_true(failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_answer_is_read),
        cmocka_unit_test(what_is_no_answer_fails),
        cmocka_unit_test(a_record_that_is_cut_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
