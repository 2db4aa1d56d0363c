/* The slice and the switch, from a trace of two processes that take turns.
 *
 * Starts and ends of kernels happen only while their process has the GPU. So all of them in order of time are stretches
 * of one process after the other's. A kernel that begins in one stretch and ends in the next of its process was paused
 * in between: for the other's slice and two switches, which is its time less that of kernels of its shape that were not
 * paused. From the middle of such a kernel to that of the next one a whole turn of both passes. So with slice s and
 * switch w, one turn gives 2 s + 2 w, a pause s + 2 w, and their difference s. A process that waits for its host gives
 * its slice away early, so only turns count at whose both ends a kernel was under way. */
#include "calibration.h"

#include "../base/sort.h"
#include "../model/policy/modes.h"

#include <math.h>
#include <string.h>

enum { INSIDE_LEAST = 4, TURNS_LEAST = 10 };

struct event {
    double at_s;
    size_t launch, process;
    bool end;
};

struct stretch {
    size_t process, events;
    size_t paused; /* launch that begins in it and ends in the next of its process; SIZE_MAX: none */
};

struct turns {
    const struct sms__profile *profile;
    struct event *event;
    struct stretch *stretch; /* [stretches] */
    size_t *from, *to;       /* [launches]: stretches of start and end */
    size_t stretches;
    struct sms__moments *shape; /* [shapes]: seconds of launches that were not paused */
};

static int by_time(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->at_s != b->at_s)
        return a->at_s < b->at_s ? -1 : 1;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->end != b->end)
        return a->end ? -1 : 1;
    return a->launch < b->launch ? -1 : a->launch > b->launch;
}

static void collect(struct sms__arena *arena, const struct sms__traced_run *run, struct turns *turns)
{
    const struct sms__profile *profile = turns->profile = &run->profile;
    turns->event = SMS__NEW(arena, struct event, 2 * profile->launches);
    for (size_t l = 0; l < profile->launches; l++) {
        const struct sms__profile_launch *launch = &profile->launch[l];
        const char *name = launch->place->process ? launch->place->process : "";
        const size_t process = strcmp(name, run->process[0].name) != 0;
        turns->event[2 * l] = (struct event){launch->start_s, l, process, false};
        turns->event[2 * l + 1] = (struct event){launch->start_s + launch->duration_s, l, process, true};
    }
    sms__sort(arena, turns->event, 2 * profile->launches, sizeof *turns->event, by_time);
}

static void find_stretches(struct sms__arena *arena, struct turns *turns)
{
    const size_t launches = turns->profile->launches;
    turns->stretch = SMS__NEW(arena, struct stretch, 2 * launches);
    turns->from = SMS__NEW(arena, size_t, launches);
    turns->to = SMS__NEW(arena, size_t, launches);
    for (size_t e = 0; e < 2 * launches; e++) {
        const struct event *event = &turns->event[e];
        if (!turns->stretches || turns->stretch[turns->stretches - 1].process != event->process)
            turns->stretch[turns->stretches++] = (struct stretch){.process = event->process, .paused = SIZE_MAX};
        struct stretch *stretch = &turns->stretch[turns->stretches - 1];
        stretch->events++;
        *(event->end ? &turns->to[event->launch] : &turns->from[event->launch]) = turns->stretches - 1;
    }
}

static void find_paused(struct sms__arena *arena, struct turns *turns)
{
    turns->shape = SMS__NEW(arena, struct sms__moments, turns->profile->shapes + 1);
    for (size_t l = 0; l < turns->profile->launches; l++) {
        const struct sms__profile_launch *launch = &turns->profile->launch[l];
        struct stretch *stretch = &turns->stretch[turns->from[l]];
        if (turns->from[l] == turns->to[l])
            sms__estimate_add(&turns->shape[launch->shape->number], launch->duration_s);
        else if (turns->to[l] == turns->from[l] + 2 && stretch->paused == SIZE_MAX)
            stretch->paused = l;
    }
}

/* Seconds for which the kernel at the end of a stretch was paused; NAN if there is none, or nothing to compare it with.
 */
static double pause_of(const struct turns *turns, size_t stretch)
{
    const size_t l = stretch < turns->stretches ? turns->stretch[stretch].paused : SIZE_MAX;
    if (l == SIZE_MAX || turns->stretch[stretch + 1].events < INSIDE_LEAST)
        return NAN;
    const struct sms__profile_launch *launch = &turns->profile->launch[l];
    const struct sms__moments *alike = &turns->shape[launch->shape->number];
    /* The end of a turn falls into a long kernel more often than into a short one, so these count by their times. */
    return alike->n ? launch->duration_s - alike->mean - alike->m2 / (double)alike->n / alike->mean : NAN;
}

/* A kernel was under way at both ends of the stretch, so its process did not give its slice away. */
static bool is_full(const struct turns *turns, size_t stretch)
{
    return stretch >= 2 && stretch < turns->stretches && turns->stretch[stretch - 2].paused != SIZE_MAX &&
           turns->stretch[stretch].paused != SIZE_MAX;
}

static double middle_of(const struct turns *turns, size_t stretch)
{
    const struct sms__profile_launch *launch = &turns->profile->launch[turns->stretch[stretch].paused];
    return launch->start_s + launch->duration_s / 2;
}

/* Whether most kernels have the other's beside them although they are far shorter than a slice of `slice_ps`. */
static bool are_beside(const struct turns *turns, double slice_ps)
{
    struct sms__moments all = {0};
    size_t beside = 0;
    for (size_t l = 0; l < turns->profile->launches; l++) {
        sms__estimate_add(&all, turns->profile->launch[l].duration_s);
        beside += turns->from[l] != turns->to[l];
    }
    return 2 * beside > all.n && all.mean < slice_ps * 1e-12 / 4;
}

int sms__find_turns(const struct sms__calibration *calibration, const struct sms__traced_run *run,
                    struct sms__moments out[2])
{
    struct turns turns = {0};
    struct sms__moments slices = {0}, switches = {0};
    collect(calibration->arena, run, &turns);
    find_stretches(calibration->arena, &turns);
    find_paused(calibration->arena, &turns);
    out[0] = out[1] = slices;
    if (are_beside(&turns, sms__mode_turns(NULL, calibration->device).slice_ps))
        return sms__fail(
            calibration->errors, SMS_EINPUT, run->path,
            "kernels of both processes run at the same time, so these are not time slices; give --mode mps");
    for (size_t s = 0; s < turns.stretches; s++) {
        const double pause = pause_of(&turns, s), next = pause_of(&turns, s + 2);
        if (isnan(pause) || isnan(next) || !is_full(&turns, s + 1) || !is_full(&turns, s + 3))
            continue;
        const double slice = middle_of(&turns, s + 2) - middle_of(&turns, s) - (pause + next) / 2;
        sms__estimate_add(&slices, slice * 1e12);
        sms__estimate_add(&switches, ((pause + next) / 2 - slice) / 2 * 1e12);
    }
    if (slices.n >= TURNS_LEAST) {
        out[0] = slices;
        out[1] = switches;
    }
    return SMS_OK;
}
