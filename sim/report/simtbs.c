/* The report of simtbs in its own layout and number types: throughputs are in single precision, mean slowdowns in
 * double. */
#include "../results/metrics.h"
#include "output.h"

enum { TYPES = 10 };

/* Slowdowns of kernels that have ended, summed in order. */
struct mean {
    double sum, with_queue;
    uint64_t kernels;
};

static void add(struct mean *mean, double slowdown, double with_queue)
{
    mean->sum += slowdown;
    mean->with_queue += with_queue;
    mean->kernels++;
}

static float per_tick(uint64_t count, uint64_t ticks) { return (float)count / (float)ticks; }

/* In a run without kernels simtbs divides 0 by 0, and prints -nan. */
static void print_number(const char *before, int digits, double value, uint64_t ticks, const char *after, FILE *to)
{
    if (ticks)
        fprintf(to, "%s%.*f%s", before, digits, value, after);
    else
        fprintf(to, "%s-nan%s", before, after);
}

static void print_utilization(const struct sms__device *device, const struct sms__simtbs_record *run, FILE *to)
{
    fputs("SM utilization: ", to);
    for (size_t r = 0; r < device->resources; r++) {
        double total = (double)(device->sms * device->resource[r].capacity);
        if (device->resource[r].scope == SMS_SCOPE_SM)
            print_number(" ", 2, (double)run->used[r] / (double)run->ticks / total * 100, run->ticks, "%", to);
    }
    fputs("\nkernel statistics:\n", to);
}

static void print_means(const struct sms_scenario *scenario, const struct sms__simtbs_record *run, FILE *to)
{
    struct mean all = {0}, of_type[TYPES + 1] = {0};
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__simtbs_kernel *kernel = &run->kernel[v];
        uint64_t enter = (uint64_t)(scenario->vm[v].start_ps / SMS__TICK_PS), type = scenario->vm[v].type;
        if (kernel->end == 0)
            continue;
        double slowdown = (double)(kernel->end - kernel->start + 1) / kernel->alone;
        double with_queue = (double)(kernel->end - enter + 1) / kernel->alone;
        add(&all, slowdown, with_queue);
        add(&of_type[type <= TYPES ? type : 0], slowdown, with_queue);
    }
    if (all.kernels == 0)
        return;
    fprintf(to, "ANTT: %.3f, %.3f(with queuing delay)\nSTP: %.4f(%llu kernels)\n", all.sum / (double)all.kernels,
            all.with_queue / (double)all.kernels, (double)per_tick(all.kernels, run->ticks),
            (unsigned long long)all.kernels);
    for (int type = 1; type <= TYPES; type++)
        if (of_type[type].kernels)
            fprintf(to, "Kernel Type: %d\n ANTT: %.3f, STP: %.4f\n", type,
                    of_type[type].sum / (double)of_type[type].kernels,
                    (double)per_tick(of_type[type].kernels, run->ticks));
}

static void print_memory(const struct sms__device *device, const struct sms__simtbs_record *run, FILE *to)
{
    fputs("Mem:", to);
    for (size_t r = 0; r < device->resources; r++)
        if (device->resource[r].scope == SMS_SCOPE_DEVICE)
            print_number(" ", 1, (double)run->used[r] / (double)run->ticks, run->ticks, "\n", to);
    fputc('\n', to);
}

void sms__print_simtbs(const struct sms_results *results, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    for (size_t p = 0; p < sms_results_policies(results); p++) {
        const struct sms__simtbs_record *run = sms__results_simtbs(results, p);
        if (!run)
            return;
        fprintf(to, "policy: %s\nsimulation end: %d\n", sms_results_policy(results, p), (int)(uint32_t)run->ticks);
        print_utilization(scenario->device[0], run, to);
        print_means(scenario, run, to);
        print_memory(scenario->device[0], run, to);
        print_number("TB throughput: ", 2, (double)per_tick(run->blocks, run->ticks), run->ticks, "\n", to);
    }
}
