/* For tests: makes profiles by hand and derives workloads from them. */
#ifndef TESTS_IMPORT_DERIVED_H
#define TESTS_IMPORT_DERIVED_H

#include "tests/harness.h"

#include "sim/import/derive.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct derived {
    struct sms__arena arena;
    struct sms_file *models, *others, *file;
    char *text;
    size_t size;
    struct sms_errors errors;
    int code;
};

struct request {
    struct derived *derived;
    const struct sms__profile *profile;
    const struct sms__derive_options *options;
    FILE *to;
};

static inline int derive_in_guard(void *user)
{
    struct request *request = user;
    return sms__derive(&request->derived->arena, request->profile, request->options, request->to,
                       &request->derived->errors);
}

/* Derives a workload for options.device, or gtx1080ti, or scales it to `target`. Loads the document unless the profile
 * was refused. */
static inline struct derived derive(const struct sms__profile *profile, struct sms__derive_options options,
                                    const char *target)
{
    struct derived derived = {.code = SMS_OK};
    struct sms_load_options load = harness_options();
    struct request request = {&derived, profile, &options, NULL};
    if (!options.device)
        assert_int_equal(sms__derive_device("gtx1080ti", &load, &derived.models, &options.device, &derived.errors), 0);
    if (target)
        assert_int_equal(sms__derive_device(target, &load, &derived.others, &options.target, &derived.errors), 0);
    request.to = open_memstream(&derived.text, &derived.size);
    derived.code = sms__guard(&derived.arena, derive_in_guard, &request);
    fclose(request.to);
    if (derived.code == SMS_OK) {
        char path[] = "/tmp/smsched-test-XXXXXX";
        int fd = mkstemp(path);
        assert_int_equal(write(fd, derived.text, derived.size), (int)derived.size);
        close(fd);
        derived.file = load_path(path);
        unlink(path);
    } else {
        assert_int_equal(derived.size, 0);
        assert_true(derived.errors.count > 0);
    }
    return derived;
}

static inline void release(struct derived *derived)
{
    sms_file_free(derived->file);
    sms_file_free(derived->models);
    sms_file_free(derived->others);
    sms__arena_release(&derived->arena);
    free(derived->text);
}

static inline const struct sms__workload *workload(const struct derived *derived) { return derived->file->workload[0]; }

static inline double demand(const struct derived *derived, size_t kernel, const char *resource)
{
    const struct sms__kernel *k = &workload(derived)->kernel[kernel];
    for (size_t d = 0; d < k->demands; d++)
        if (!strcmp(k->demand[d].resource, resource))
            return k->demand[d].ratio;
    return 0;
}

static inline void assert_says(const struct derived *derived, const char *what)
{
    if (!strstr(derived->text, what))
        fail_msg("no '%s' in\n%s", what, derived->text);
}

#define METRIC(called, in, is)                                                                                         \
    {                                                                                                                  \
        .name = called, .unit = in, .mean = is                                                                         \
    }
#define LEVEL(called, is)                                                                                              \
    {                                                                                                                  \
        .name = called, .unit = "", .kind = SMS__VALUE_LEVEL, .mean = is                                               \
    }

enum { MADE = 16384 }; /* launches of a program of tests, at most; then the first are made again */

/* A launch with a shape and a place of its own. */
static inline struct sms__profile_launch with_shape(struct sms__profile_launch launch, struct sms__profile_shape of)
{
    static struct sms__profile_shape shapes[MADE];
    static struct sms__trace_place places[MADE];
    static size_t made;
    const size_t i = made++ % MADE;
    shapes[i] = of;
    places[i] = (struct sms__trace_place){0};
    launch.shape = &shapes[i];
    launch.place = &places[i];
    return launch;
}

/* To change the shape and the place of a launch that with_shape has made. */
static inline struct sms__profile_shape *shape(const struct sms__profile_launch *launch)
{
    return (struct sms__profile_shape *)(uintptr_t)launch->shape;
}

static inline struct sms__trace_place *place(const struct sms__profile_launch *launch)
{
    return (struct sms__trace_place *)(uintptr_t)launch->place;
}

/* 448 blocks of 8 warps are two waves of eight blocks per SM on 28 SMs. */
static inline struct sms__profile_launch launch_of(const char *kernel, double start_us, double duration_us)
{
    const struct sms__profile_shape of = {.kernel = kernel,
                                          .grid = {448, 1, 1},
                                          .block = {256, 1, 1},
                                          .registers = 32,
                                          .static_shared = NAN,
                                          .dynamic_shared = NAN};
    return with_shape(
        (struct sms__profile_launch){
            .start_s = start_us * 1e-6, .duration_s = duration_us * 1e-6, .count = 1, .line = 7},
        of);
}

static inline struct sms__profile profile_of(struct sms__profile_launch *launch, size_t launches)
{
    return (struct sms__profile){.tool = "ncu", .launch = launch, .launches = launches};
}

#endif
