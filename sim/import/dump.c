/* Prints a profile as it was read, before a workload is derived from it. */
#include "reader.h"

#include "../base/escape.h"

#include <math.h>
#include <string.h>

static void print_number(const char *label, double value, FILE *to)
{
    if (isnan(value))
        fprintf(to, " %s=?", label);
    else
        fprintf(to, " %s=%.12g", label, value);
}

static void print_dimensions(const char *label, const uint64_t size[3], FILE *to)
{
    fprintf(to, " %s=%llux%llux%llu", label, (unsigned long long)size[0], (unsigned long long)size[1],
            (unsigned long long)size[2]);
}

static void print_label(const char *label, const char *text, FILE *to)
{
    if (!*text)
        return;
    fprintf(to, " %s=", label);
    sms__print_visible(to, text);
}

static void print_launch(const struct sms__profile_launch *launch, FILE *to)
{
    const struct sms__profile_shape *shape = launch->shape;
    const struct sms__trace_place *place = launch->place;
    fputs("launch ", to);
    sms__print_visible(to, shape->kernel);
    print_dimensions("grid", shape->grid, to);
    print_dimensions("block", shape->block, to);
    fprintf(to, " registers=%llu", (unsigned long long)shape->registers);
    print_number("static_bytes", shape->static_shared, to);
    print_number("dynamic_bytes", shape->dynamic_shared, to);
    print_number("start_s", launch->start_s, to);
    print_number("duration_s", launch->duration_s, to);
    fprintf(to, " count=%llu metrics=%u line=%u", (unsigned long long)launch->count, launch->metrics, launch->line);
    print_label("process", place->process, to);
    print_label("device", place->device, to);
    print_label("context", place->context, to);
    print_label("stream", place->stream, to);
    fputc('\n', to);
}

static void print_metric(const struct sms__profile_metric *metric, FILE *to)
{
    fputs("    ", to);
    sms__print_visible(to, metric->name);
    fprintf(to, " %.12g", metric->mean);
    fputs(metric->kind == SMS__VALUE_LEVEL ? " of 10" : *metric->unit ? " " : "", to);
    sms__print_visible(to, metric->unit);
    fputc('\n', to);
}

void sms__profile_dump(const struct sms__profile *profile, FILE *to)
{
    fprintf(to, "profile %s launches=%zu copies=%zu\n", profile->tool, profile->launches, profile->copies);
    for (size_t i = 0; i < profile->launches; i++) {
        print_launch(&profile->launch[i], to);
        for (size_t m = 0; m < profile->launch[i].metrics; m++)
            print_metric(&profile->launch[i].metric[m], to);
    }
    for (size_t i = 0; i < profile->copies; i++) {
        fprintf(to, "copy %s", profile->copy[i].to_device ? "to_device" : "to_host");
        print_number("bytes", profile->copy[i].bytes, to);
        print_number("start_s", profile->copy[i].start_s, to);
        print_number("duration_s", profile->copy[i].duration_s, to);
        fprintf(to, " line=%u\n", profile->copy[i].line);
    }
}
