/* The ground everything stands on: quantities, nearest names, random streams,
 * the queue of events, histograms. */
#include "tests/harness.h"

#include "sim/base/decimal.h"
#include "sim/base/errors.h"
#include "sim/base/heap.h"
#include "sim/base/quantity.h"
#include "sim/base/rng.h"
#include "sim/base/sort.h"
#include "sim/engine/engine.h"
#include "sim/levels/block/sm_times.h"
#include "sim/record/record.h"

#include <float.h>

static double parse(const char *text, enum sms__dimension dimension)
{
    struct sms__quantity out;
    char why[160];
    const char *problem = sms__quantity_parse(text, dimension, &out, why, sizeof why);
    return problem ? NAN : out.value;
}

static void quantities_carry_units(void **state)
{
    (void)state;
    assert_true(parse("12.5 us", SMS__TIME) == 12.5e6);
    assert_true(parse("12.5us", SMS__TIME) == 12.5e6);
    assert_true(parse("0.519646 us", SMS__TIME) == 519646);    /* the product of doubles is more */
    assert_true(parse("69.37386 s", SMS__TIME) == 69373860e6); /* and here less */
    assert_true(parse("96 KiB", SMS__BYTES) == 98304);
    assert_true(parse("900 GB/s", SMS__BANDWIDTH) == 900e9);
    assert_true(parse("1530 MHz", SMS__FREQUENCY) == 1530e6);
    assert_true(parse("500/s", SMS__ARRIVAL_RATE) == 500);
    assert_true(parse("30 /min", SMS__ARRIVAL_RATE) == 0.5);
    assert_true(parse("35 %", SMS__RATIO) == 0.35);
    assert_true(parse("0.35", SMS__RATIO) == 0.35);
    assert_true(parse("8800 cycles", SMS__CYCLES) == 8800);
    assert_true(parse("0", SMS__CYCLES) == 0);
    assert_true(parse("0.0", SMS__BANDWIDTH) == 0);
}

static void what_is_no_quantity_is_refused(void **state)
{
    static const char *const bad[] = {"",        "12",       "us",     "12 parsecs", "nan us", "inf us",   "0x10 us",
                                      "0X10 us", "1e400 us", "1 us x", ".",          "--1 us", "0 parsecs"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(isnan(parse(bad[i], SMS__TIME)));
    assert_true(isnan(parse("1.5", SMS__COUNT)));
    assert_true(isnan(parse("3 %", SMS__COUNT)));
    assert_true(isnan(parse("3 cycles", SMS__TIME)));
}

static const char *name_of(const void *user, size_t i) { return ((const char *const *)user)[i]; }

static void the_nearest_name_is_found_or_none(void **state)
{
    static const char *const names[] = {"round_robin", "fine_grained", "leftover"};
    (void)state;
    assert_string_equal(sms__nearest("round_robbin", 3, name_of, names), "round_robin");
    assert_string_equal(sms__nearest("finegrained", 3, name_of, names), "fine_grained");
    assert_null(sms__nearest("xyz", 3, name_of, names));
    static const char *const modes[] = {"mig", "together", "mps"};
    assert_string_equal(sms__nearest("msp", 3, name_of, modes), "mps"); /* two letters swapped are one edit */
    static const char *const models[] = {"a10", "a100", "v100", "v100/heat"};
    assert_string_equal(sms__nearest("v10", 4, name_of, models), "v100"); /* as near as a10, and begins so */
    assert_string_equal(sms__nearest("V100", 4, name_of, models), "v100");
    assert_string_equal(sms__nearest("heat", 4, name_of, models), "v100/heat");
    static const char *const policies[] = {"fifo", "fine_grained_capped", "fine_grained", "fair_share"};
    assert_string_equal(sms__nearest("fine", 4, name_of, policies), "fine_grained"); /* goes on, fifo has two edits */
    assert_string_equal(sms__nearest("fif", 4, name_of, policies), "fifo");
    assert_string_equal(sms__nearest("grained", 4, name_of, policies), "fine_grained");
}

static void problems_are_sorted_by_line_the_first_file_before_others(void **state)
{
    static const struct {
        const char *file, *message;
        unsigned line, column;
    } found[] = {{"m.yaml", "d", 1, 1}, {"s.yaml", "c", 9, 2}, {"b.yaml", "f", 2, 1}, {"s.yaml", "b", 3, 4},
                 {"m.yaml", "e", 1, 7}, {"s.yaml", "-", 9, 2}, {"s.yaml", "a", 0, 0}};
    static const char sorted[] = "abc-def";
    struct sms_errors errors = {0};
    (void)state;
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        sms__error(&errors, SMS_EINPUT, (struct sms__mark){found[i].file, NULL, found[i].line, found[i].column}, "%s",
                   found[i].message);
    sms__errors_sort(&errors, "s.yaml");
    assert_int_equal(errors.count, sizeof found / sizeof *found);
    for (size_t i = 0; i < errors.count; i++)
        assert_int_equal(errors.item[i].message[0], sorted[i]);
}

static void of_too_many_problems_those_found_first_are_kept_and_sorted(void **state)
{
    struct sms_errors errors = {0};
    (void)state;
    for (unsigned i = 0; i < SMS_ERRORS_MAX + 5; i++)
        sms__error(&errors, SMS_EINPUT, (struct sms__mark){.file = "s.yaml", .line = 100 - i, .column = 1}, "x");
    sms__errors_sort(&errors, "s.yaml");
    assert_int_equal(errors.count, SMS_ERRORS_MAX + 5);
    for (unsigned i = 0; i < SMS_ERRORS_MAX; i++)
        assert_int_equal(errors.item[i].line, 100 - SMS_ERRORS_MAX + 1 + i);
}

static int draw_streams(void *user)
{
    struct sms__arena *arena = user;
    gsl_rng *a = sms__stream(arena, 1, "a", 0), *again = sms__stream(arena, 1, "a", 0);
    gsl_rng *b = sms__stream(arena, 1, "b", 0), *other = sms__stream(arena, 2, "a", 0);
    int same_b = 0, same_other = 0;
    for (int i = 0; i < 1000; i++) {
        double x = gsl_rng_uniform(a);
        assert_true(x == gsl_rng_uniform(again));
        same_b += x == gsl_rng_uniform(b);
        same_other += x == gsl_rng_uniform(other);
    }
    assert_true(same_b < 3 && same_other < 3);
    return SMS_OK;
}

static void streams_depend_on_seed_and_name_alone(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, draw_streams, &arena), SMS_OK);
    sms__arena_release(&arena);
}

enum { DRAWS = 200000 };

static int draw_exponential(void *user)
{
    gsl_rng *stream = sms__stream(user, 7, "exponential", 0);
    double sum = 0, squares = 0;
    int above_one = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = sms__exponential(stream);
        sum += x;
        squares += x * x;
        above_one += x > 1;
    }
    assert_near(sum / DRAWS, 1, 4 / sqrt(DRAWS));
    assert_near(squares / DRAWS, 2, 4 * sqrt(20.0 / DRAWS));
    assert_near((double)above_one / DRAWS, exp(-1), 4 * 0.5 / sqrt(DRAWS));
    return SMS_OK;
}

static void exponential_numbers_have_their_moments(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, draw_exponential, &arena), SMS_OK);
    sms__arena_release(&arena);
}

static int draw_uniform(void *user)
{
    gsl_rng *stream = sms__stream(user, 7, "uniform", 0);
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double x = sms__uniform_about_one(stream, 0.1);
        sum += x;
        squares += (x - 1) * (x - 1);
    }
    assert_near(sum / DRAWS, 1, 4 * 0.1 / sqrt(DRAWS));
    assert_near(sqrt(squares / DRAWS), 0.1, 0.001);
    return SMS_OK;
}

static void jitter_is_a_coefficient_of_variation(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, draw_uniform, &arena), SMS_OK);
    sms__arena_release(&arena);
}

enum { SOURCES = 200 };

/* Against a plain array searched from end to end. */
static int race_queue(void *user)
{
    struct sms__arena *arena = user;
    struct sms__queue queue;
    uint64_t time[SOURCES];
    gsl_rng *rng = sms__stream(arena, 3, "queue", 0);
    sms__queue_init(&queue, arena, SOURCES);
    for (size_t i = 0; i < SOURCES; i++)
        time[i] = SMS__NEVER;
    for (int step = 0; step < 100000; step++) {
        size_t i = gsl_rng_uniform_int(rng, SOURCES), first = 0, second = SOURCES;
        time[i] = gsl_rng_uniform(rng) < 0.3 ? SMS__NEVER : gsl_rng_uniform_int(rng, 50);
        sms__queue_set(&queue, i, time[i]);
        for (size_t s = 0; s < SOURCES; s++)
            first = time[s] < time[first] ? s : first;
        for (size_t s = 0; s < SOURCES; s++)
            if (s != first && (second == SOURCES || time[s] < time[second]))
                second = s;
        assert_int_equal(sms__queue_first(&queue).time, time[first]);
        assert_int_equal(sms__queue_first(&queue).source, first);
        assert_int_equal(sms__queue_least(&queue), time[first]);
        struct sms__match found = sms__queue_other(&queue, first); /* of equal times, any */
        assert_int_equal(found.time, time[second]);
        assert_true(found.time == SMS__NEVER || (found.source != first && time[found.source] == found.time));
    }
    return SMS_OK;
}

static void the_queue_orders_by_time_then_source(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, race_queue, &arena), SMS_OK);
    sms__arena_release(&arena);
}

/* Returns a time, often one of those that have no key, from `far` on. */
static uint64_t any_time(gsl_rng *rng, uint64_t far)
{
    uint64_t from[] = {0, far - 2, far + 40, SMS__NEVER - 60};
    return from[gsl_rng_uniform_int(rng, 4)] + gsl_rng_uniform_int(rng, 50);
}

/* The same for SMs: from the first time that has no key on, and before. */
static int race_sms(void *user)
{
    struct sms__arena *arena = user;
    struct sms__sm_times times;
    uint64_t time[SOURCES];
    gsl_rng *rng = sms__stream(arena, 4, "queue", 0);
    sms__sm_times_init(&times, arena, SOURCES);
    for (size_t i = 0; i < SOURCES; i++)
        time[i] = SMS__NEVER;
    for (int step = 0; step < 100000; step++) {
        size_t i = gsl_rng_uniform_int(rng, SOURCES), first = 0;
        time[i] = gsl_rng_uniform(rng) < 0.9 ? SMS__NEVER : any_time(rng, times.far);
        sms__sm_times_set(&times, i, time[i]);
        for (size_t s = 0; s < SOURCES; s++)
            first = time[s] < time[first] ? s : first;
        assert_int_equal(sms__sm_times_first(&times), time[first]);
        assert_true(time[first] == SMS__NEVER || sms__sm_times_sm(&times) == first);
    }
    return SMS_OK;
}

static void delays_are_rounded_up_to_whole_picoseconds(void **state)
{
    (void)state;
    for (double power = 0.25; power < 9e18; power *= 2)
        for (int i = 0; i < 5; i++) {
            const double near[] = {nextafter(power, 0), power, power * (1 + 1e-12), power * 1.5, -power};
            assert_true(sms__after(7, near[i]) == 7 + (uint64_t)(near[i] > 1 ? ceil(near[i]) : 1));
        }
    for (double whole = 1; whole < 1e12; whole *= 3) /* but for what rounding adds */
        assert_true(sms__after(7, whole * (1 + 10 * DBL_EPSILON)) == 7 + (uint64_t)whole);
    assert_true(sms__after(7, NAN) == SMS__NEVER && sms__after(7, 9.3e18) == SMS__NEVER);
    assert_true(sms__after(UINT64_MAX - 5, 9) == SMS__NEVER);
}

static void times_of_sms_are_in_order_to_the_end_of_the_clock(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, race_sms, &arena), SMS_OK);
    sms__arena_release(&arena);
}

static int fill_histogram(void *user)
{
    struct sms__histogram h;
    sms__histogram_init(&h, user);
    assert_true(isnan(sms__histogram_rank(&h, 0.5)));
    for (uint64_t i = 1; i <= 1000000; i++)
        sms__histogram_add(&h, i * 1000);
    assert_near(sms__histogram_rank(&h, 0.5), 5e8, 5e8 * 0.004);
    assert_near(sms__histogram_rank(&h, 0.99), 9.9e8, 9.9e8 * 0.004);
    assert_near(sms__histogram_rank(&h, 1), 1e9, 0);
    assert_near(sms__histogram_rank(&h, 0), sms__histogram_rank(&h, 1e-9), 0);
    sms__histogram_add(&h, UINT64_MAX);
    assert_near(sms__histogram_rank(&h, 1), 1.8446744073709552e19, 0);
    return SMS_OK;
}

static void percentiles_are_right_to_a_bucket(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, fill_histogram, &arena), SMS_OK);
    sms__arena_release(&arena);
}

static int ask_too_much(void *user)
{
    sms__alloc(user, SIZE_MAX / 4, 8);
    fail_msg("an impossible allocation returned");
    return SMS_OK;
}

static void an_allocation_that_cannot_be_ends_the_guard(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, ask_too_much, &arena), SMS_ENOMEM);
    sms__arena_release(&arena);
}

struct list {
    struct sms__arena arena;
    size_t *item, items;
    const char **word;
    size_t words;
};

static int grow_lists(void *user)
{
    struct list *list = user;
    for (size_t i = 0; i < 1000; i++) {
        size_t *added = SMS__APPEND(&list->arena, list->item, list->items);
        assert_int_equal(*added, 0);
        *added = i;
        *SMS__APPEND(&list->arena, list->word, list->words) = "word";
    }
    return SMS_OK;
}

static void lists_grow_and_keep_what_they_hold(void **state)
{
    struct list list = {0};
    (void)state;
    assert_int_equal(sms__guard(&list.arena, grow_lists, &list), SMS_OK);
    assert_int_equal(list.items, 1000);
    assert_int_equal(list.words, 1000);
    for (size_t i = 0; i < list.items; i++) {
        assert_int_equal(list.item[i], i);
        assert_string_equal(list.word[i], "word");
    }
    sms__arena_release(&list.arena);
}

static int enlarge(void *user)
{
    static const char two[2] = {'a', 'b'};
    const char *none = sms__enlarge(user, NULL, 0, 3, 1), *four = sms__enlarge(user, two, 2, 4, 1);
    assert_memory_equal(none, "\0\0", 3);
    assert_memory_equal(four, "ab\0", 4);
    return SMS_OK;
}

static void what_is_enlarged_is_a_copy_and_zeroes(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, enlarge, &arena), SMS_OK);
    sms__arena_release(&arena);
}

struct pair {
    int key;
    unsigned before;
};

static int by_key(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

/* Equal items keep their order, whatever runs the list has: `before` says which came first. */
static int sort_lists(void *user, struct sms__arena *scratch)
{
    gsl_rng *rng = sms__stream(scratch, 7, "list", 0);
    struct pair list[200];
    (void)user;
    for (unsigned round = 0; round < 2000; round++) {
        const size_t count = round % 200, run = 1 + round / 200;
        for (size_t i = 0; i < count; i++)
            list[i] = (struct pair){i % run ? list[i - 1].key : (int)gsl_rng_uniform_int(rng, 20), (unsigned)i};
        sms__sort(scratch, list, count, sizeof *list, by_key);
        for (size_t i = 1; i < count; i++)
            assert_true(list[i - 1].key < list[i].key ||
                        (list[i - 1].key == list[i].key && list[i - 1].before < list[i].before));
    }
    return 5;
}

static void lists_are_sorted_and_equal_items_keep_their_order(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__scratch(&arena, sort_lists, NULL), 5);
    assert_null(arena.chunks); /* what the body took is released */
}

static bool pair_is_before(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    return a->key != b->key ? a->key < b->key : a->before < b->before;
}

/* It is so for each size, and when additions and removals alternate. */
static void the_first_item_of_a_heap_is_before_all_others(void **state)
{
    struct pair heap[100];
    size_t count = 0;
    unsigned added = 0;
    (void)state;
    for (size_t most = 1; most <= 100; most++) {
        for (; count < most; added++)
            sms__heap_add(heap, count++, &(struct pair){(int)(added * 7919 % 41), added}, sizeof *heap, pair_is_before);
        for (size_t left = most / 3; count > left;) {
            const struct pair first = heap[0];
            for (size_t i = 1; i < count; i++)
                assert_true(pair_is_before(&first, &heap[i]));
            sms__heap_pop(heap, --count, sizeof *heap, pair_is_before);
            for (size_t i = 0; i < count; i++)
                assert_int_not_equal(heap[i].before, first.before);
        }
    }
}

static int runs_out(void *user, struct sms__arena *scratch)
{
    struct sms__arena *of = user;
    (void)SMS__NEW(scratch, char, 1000);
    (void)sms__alloc(of ? of : scratch, SIZE_MAX / 4, 4);
    return SMS_OK;
}

static int use_twice(void *user)
{
    assert_int_equal(sms__scratch(user, runs_out, NULL), SMS_ENOMEM);
    assert_int_equal(sms__scratch(user, runs_out, user), SMS_ENOMEM);
    (void)SMS__NEW((struct sms__arena *)user, char, 10); /* the guard around is as before */
    return SMS_OK;
}

static void scratch_memory_ends_with_its_body_also_where_there_is_no_more(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, use_twice, &arena), SMS_OK);
    assert_null(arena.out_of_memory);
    sms__arena_release(&arena);
}

/* Numbers of all sizes, mantissas and signs, halves at the last digit, and neighbours of powers of ten. */
static double draw_number(gsl_rng *rng, unsigned i)
{
    const double sign = gsl_rng_uniform(rng) < 0.5 ? -1 : 1, power = pow(10, (double)(i % 20) - 5);
    switch (i / 20 % 4) {
    case 0:
        return sign * power * gsl_rng_uniform(rng);
    case 1:
        return sign * (floor(1e11 * gsl_rng_uniform(rng)) + 0.5) / pow(2, i % 9);
    case 2:
        return sign * nextafter(power, gsl_rng_uniform(rng) < 0.5 ? 0 : INFINITY);
    default:
        return sign * floor(power * gsl_rng_uniform(rng));
    }
}

static int write_numbers(void *user)
{
    static const double special[] = {0,
                                     -0.0,
                                     1,
                                     1e-4,
                                     9.99999999999995e-5,
                                     0.000123456789012345,
                                     1e11,
                                     1e12,
                                     999999999999.5,
                                     999999999999.25,
                                     99999999999.95,
                                     1e300,
                                     5e-324,
                                     INFINITY,
                                     -INFINITY,
                                     0.5,
                                     1024.5,
                                     123456789012.5,
                                     123456789013.5};
    const unsigned specials = sizeof special / sizeof special[0];
    gsl_rng *rng = sms__stream(user, 7, "numbers", 0);
    for (unsigned i = 0; i < DRAWS; i++) {
        const double value = i < specials ? special[i] : draw_number(rng, i);
        char text[SMS__DECIMAL_BYTES], expected[40];
        snprintf(expected, sizeof expected, "%.12g", value);
        assert_int_equal(sms__decimal(text, value), strlen(expected));
        assert_string_equal(text, expected);
    }
    return SMS_OK;
}

static void numbers_are_written_as_printf_writes_them(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, write_numbers, &arena), SMS_OK);
    sms__arena_release(&arena);
}

/* The same memory comes again, clear, and counts as it did. */
static int fill_again(void *user)
{
    struct sms__arena *arena = user;
    const size_t large = 1 << 20;
    char *small = sms__alloc(arena, 1, 100), *piece = sms__alloc(arena, 1, large);
    const size_t used = arena->used;
    memset(small, 1, 100);
    memset(piece, 1, large);
    sms__arena_reset(arena);
    assert_int_equal(arena->used, 0);
    assert_ptr_equal(sms__alloc(arena, 1, 100), small);
    assert_ptr_equal(sms__alloc(arena, 1, large), piece);
    assert_int_equal(arena->used, used);
    for (size_t i = 0; i < large; i++)
        assert_true(!piece[i] && !small[i % 100]);
    return SMS_OK;
}

static void an_arena_that_is_reset_gives_the_same_memory_again(void **state)
{
    struct sms__arena arena = {0};
    (void)state;
    assert_int_equal(sms__guard(&arena, fill_again, &arena), SMS_OK);
    sms__arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_carry_units),
        cmocka_unit_test(what_is_no_quantity_is_refused),
        cmocka_unit_test(the_nearest_name_is_found_or_none),
        cmocka_unit_test(problems_are_sorted_by_line_the_first_file_before_others),
        cmocka_unit_test(of_too_many_problems_those_found_first_are_kept_and_sorted),
        cmocka_unit_test(streams_depend_on_seed_and_name_alone),
        cmocka_unit_test(exponential_numbers_have_their_moments),
        cmocka_unit_test(jitter_is_a_coefficient_of_variation),
        cmocka_unit_test(the_queue_orders_by_time_then_source),
        cmocka_unit_test(delays_are_rounded_up_to_whole_picoseconds),
        cmocka_unit_test(times_of_sms_are_in_order_to_the_end_of_the_clock),
        cmocka_unit_test(percentiles_are_right_to_a_bucket),
        cmocka_unit_test(an_allocation_that_cannot_be_ends_the_guard),
        cmocka_unit_test(lists_grow_and_keep_what_they_hold),
        cmocka_unit_test(what_is_enlarged_is_a_copy_and_zeroes),
        cmocka_unit_test(lists_are_sorted_and_equal_items_keep_their_order),
        cmocka_unit_test(the_first_item_of_a_heap_is_before_all_others),
        cmocka_unit_test(scratch_memory_ends_with_its_body_also_where_there_is_no_more),
        cmocka_unit_test(an_arena_that_is_reset_gives_the_same_memory_again),
        cmocka_unit_test(numbers_are_written_as_printf_writes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
