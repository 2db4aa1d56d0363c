/* Joins the kernels of a trace with measured ones, by name and geometry. */
#include "derive.h"
#include "import.h"
#include "../base/intern.h"
#include "text.h"
#include "trace_read.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { KNOWN_MAX = 4096, NAMED_MAX = 6 };

/* How well a known kernel fits a launch, from the worst. */
enum fit { UNKNOWN, BASE_NEAR, NAME_NEAR, BASE_EXACT, NAME_EXACT, FITS };

struct known {
    const char *name, *base;  /* normal(); without namespaces and template, in lower case */
    double threads, of_block; /* of the grid; of a block */
    struct sms__profile_metric *metric;
    size_t metrics;
};

struct match {
    const struct known *known;
    enum fit fit;
};

struct joining {
    struct sms__arena *arena;
    struct sms__profile *profile;
    struct sms_errors *errors;
    struct known *known;
    size_t count, unused;          /* unused: kernels beyond KNOWN_MAX */
    struct sms__string_pool found; /* matches by kernel and geometry */
    double seconds[FITS];
    size_t kernels[FITS];
    size_t named;
    const char *names;
};

static const char *skip(const char *text, const char *part)
{
    size_t length = strlen(part);
    return strncmp(text, part, length) ? text : text + length;
}

/* After a cast such as "(int)" of a template's argument, which some versions of the tools write. */
static const char *skip_cast(const char *text)
{
    const char *end = *text == '(' ? strchr(text, ')') : NULL;
    return end && (isdigit((unsigned char)end[1]) || end[1] == '-') ? end + 1 : text;
}

/* A kernel's name without spaces, return type, unnamed namespaces, casts and arguments. */
static char *normal(struct sms__arena *arena, const char *symbol)
{
    char *name = sms__copy(arena, symbol, strlen(symbol)), *to = name;
    int depth = 0;
    for (const char *c = skip(symbol, "void "); *c;) {
        const char *next = skip(skip(skip_cast(c), "(anonymous namespace)::"), "<unnamed>::");
        if (next != c) {
            c = next;
            continue;
        }
        if (*c == '(' && depth == 0 && to > name)
            break;
        depth += (*c == '<') - (*c == '>');
        if (!isspace((unsigned char)*c))
            *to++ = *c;
        c++;
    }
    *to = '\0';
    return name;
}

static const char *base_of(struct sms__arena *arena, const char *name)
{
    char *base = sms__copy(arena, name, strcspn(name, "<"));
    for (char *c = base; *c; c++)
        if (c[0] == ':' && c[1] == ':')
            base = c + 2;
    for (char *c = base; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return base;
}

static double threads_of(const uint64_t size[3])
{
    return fmax((double)size[0], 1) * fmax((double)size[1], 1) * fmax((double)size[2], 1);
}

/* A kernel in a geometry, without its metrics. */
static struct known describe(struct sms__arena *arena, const struct sms__profile_shape *shape)
{
    const char *name = normal(arena, shape->kernel);
    const double of_block = threads_of(shape->block);
    return (struct known){.name = name,
                          .base = base_of(arena, name),
                          .threads = threads_of(shape->grid) * of_block,
                          .of_block = of_block};
}

static void add_known(struct joining *joining, const struct sms__profile_launch *launch)
{
    struct known *known = SMS__APPEND(joining->arena, joining->known, joining->count);
    *known = describe(joining->arena, launch->shape);
    known->metric = launch->metric;
    known->metrics = launch->metrics;
}

/* The first launch of a kernel in a geometry stands for all. */
static int read_counters(struct joining *joining, const char *path)
{
    struct sms__profile counters = {.tool = "ncu", .most = joining->profile->most};
    struct sms__string_pool shapes = {.arena = joining->arena};
    int code = sms__importer_called("ncu")->read(joining->arena, &path, 1, &counters, joining->errors);
    for (size_t l = 0; code == SMS_OK && l < counters.launches; l++) {
        const struct sms__profile_launch *launch = &counters.launch[l];
        const size_t bytes = offsetof(struct sms__profile_shape, registers); /* names are equal pointers */
        if (!launch->metrics || sms__intern(&shapes, (const char *)launch->shape, bytes)->value++)
            continue;
        if (joining->count < KNOWN_MAX)
            add_known(joining, launch);
        else
            joining->unused++;
    }
    return code;
}

static enum fit fit_of(const struct known *known, const struct known *wanted)
{
    bool same_name = !strcmp(known->name, wanted->name);
    if (!same_name && strcmp(known->base, wanted->base) != 0)
        return UNKNOWN;
    bool exact = known->threads == wanted->threads && known->of_block == wanted->of_block;
    return exact ? same_name ? NAME_EXACT : BASE_EXACT : same_name ? NAME_NEAR : BASE_NEAR;
}

/* The best fit, and among equals the nearest number of threads. */
static struct match find_match(const struct joining *joining, const struct known *wanted)
{
    double least = INFINITY;
    struct match best = {NULL, UNKNOWN};
    for (size_t k = 0; k < joining->count; k++) {
        const struct known *known = &joining->known[k];
        enum fit fit = fit_of(known, wanted);
        if (fit == UNKNOWN || fit < best.fit)
            continue;
        double far = fabs(log(known->threads / wanted->threads));
        if (fit == best.fit && far >= least)
            continue;
        best = (struct match){known, fit};
        least = far;
    }
    return best;
}

/* Names a kernel that takes the metrics of another one. */
static void name_match(struct joining *joining, const struct match *match, const struct known *wanted)
{
    if (match->fit == UNKNOWN || match->fit >= BASE_EXACT || joining->named++ >= NAMED_MAX)
        return;
    joining->names =
        sms__print(joining->arena, "%s%s%s of %.0f threads from %s of %.0f", joining->names,
                   *joining->names ? "; " : "", sms__derive_text(joining->arena, wanted->base, 60), wanted->threads,
                   sms__derive_text(joining->arena, match->known->name, 60), match->known->threads);
}

static void join_launch(struct joining *joining, struct sms__profile_launch *launch)
{
    const struct sms__profile_shape *shape = launch->shape;
    const struct {
        const char *kernel;
        double blocks, of_block;
    } key = {shape->kernel, threads_of(shape->grid), threads_of(shape->block)};
    struct sms__pooled_string *entry = sms__intern(&joining->found, (const char *)&key, sizeof key);
    struct match *match = entry->data;
    if (!match) {
        const struct known wanted = describe(joining->arena, shape);
        entry->data = match = SMS__NEW(joining->arena, struct match, 1);
        *match = find_match(joining, &wanted);
        name_match(joining, match, &wanted);
        joining->kernels[match->fit]++;
    }
    joining->seconds[match->fit] += launch->duration_s;
    if (match->known) {
        launch->metric = match->known->metric;
        launch->metrics = match->known->metrics;
    }
}

/* "3 kernels (40.0 % of kernel time) by ..." */
static const char *share(const struct joining *joining, enum fit from, enum fit to, double all, const char *how)
{
    double seconds = 0;
    size_t kernels = 0;
    for (enum fit fit = from; fit <= to; fit++) {
        seconds += joining->seconds[fit];
        kernels += joining->kernels[fit];
    }
    return sms__print(joining->arena, "%zu kernels (%.1f %% of kernel time) %s", kernels, 100 * seconds / all, how);
}

static void add_facts(const struct joining *joining, const char *with)
{
    struct sms__profile *profile = joining->profile;
    const char **fact = SMS__NEW(joining->arena, const char *, profile->facts + 3);
    double all = 0;
    memcpy(fact, profile->fact, profile->facts * sizeof *fact);
    for (int f = 0; f < FITS; f++)
        all += joining->seconds[f];
    const char *near = share(joining, BASE_NEAR, NAME_NEAR, all, "from the nearest geometry of the name"),
               *exact = share(joining, BASE_EXACT, NAME_EXACT, all, "by name and geometry, ");
    fact[profile->facts++] =
        sms__print(joining->arena, "demands from %s: %s%s, %s", sms__derive_text(joining->arena, with, 80), exact, near,
                   share(joining, UNKNOWN, UNKNOWN, all, "unknown"));
    if (joining->named)
        fact[profile->facts++] = sms__print(joining->arena, "taken from others: %s%s", joining->names,
                                            joining->named > NAMED_MAX ? "; and more" : "");
    if (joining->unused)
        fact[profile->facts++] = sms__print(joining->arena, "not used: %zu kernels with counters beyond the first %d",
                                            joining->unused, KNOWN_MAX);
    profile->fact = fact;
    profile->demands = true;
}

int sms__demands_join(struct sms__arena *arena, struct sms__profile *profile, const char *with,
                      struct sms_errors *errors)
{
    struct joining joining = {
        .arena = arena, .profile = profile, .errors = errors, .found = {.arena = arena}, .names = ""};
    int code = read_counters(&joining, with);
    for (size_t l = 0; code == SMS_OK && l < profile->launches; l++)
        join_launch(&joining, &profile->launch[l]);
    if (code == SMS_OK)
        add_facts(&joining, with);
    return code;
}
