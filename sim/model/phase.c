/* Finds who draws a phase, and maps a share of a job to one of its operations. */
#include "phase.h"
#include "job.h"

#include <math.h>

/* Work that can be cut anywhere begins within this time, so that no order of a list decides who is first. */
static const double AT_ONCE_PS = 1e6;

static bool is_free(const struct sms__tenant *vm)
{
    return vm->repeat == 0 && vm->arrivals == SMS__CLOSED && !sms__node_get(vm->node, "start") &&
           !sms__node_get(vm->node, "stagger");
}

void sms__find_phases(struct sms__arena *arena, const struct sms_scenario *scenario)
{
    size_t *on = SMS__NEW(arena, size_t, scenario->devices), anywhere = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        ++*(scenario->vm[v].device < 0 ? &anywhere : &on[scenario->vm[v].device]);
    for (size_t v = 0; v < scenario->vms; v++) {
        struct sms__tenant *vm = &scenario->vm[v];
        size_t beside = vm->device < 0 ? scenario->vms : anywhere + on[vm->device];
        vm->draws_phase = beside > 1 && is_free(vm);
    }
}

/* The longest delay, so that no long wave keeps a tenant from beginning. */
static double most_delay_ps(const struct sms_scenario *scenario)
{
    return scenario->warmup_ps > 0 ? scenario->warmup_ps : scenario->duration_ps / 10;
}

/* Skips the waves that are done and the one under way. */
static void begin_blocks(const struct sms_scenario *scenario, const struct sms__kernel *kernel,
                         const struct sms__footprint *fit, const struct sms__device *device, double ps, double gone_ps,
                         struct sms__phase *phase)
{
    double held = (double)device->sms * (double)(fit->per_sm ? fit->per_sm : 1), blocks = (double)kernel->blocks;
    double cost = (double)fit->launch_ps, wave_ps = (ps - cost) / ceil(blocks / held);
    double wave = gone_ps > cost ? floor((gone_ps - cost) / wave_ps) + 1 : 1;
    phase->delay_ps = fmod(fmax(cost + wave * wave_ps - gone_ps, 0), most_delay_ps(scenario));
    phase->done = fmin(wave * held / blocks, 1);
}

/* Begins within an operation that takes `ps`, of which `gone_ps` are over. */
static void begin_within(const struct sms_scenario *scenario, const struct sms__workload *workload,
                         const struct sms__footprint *fit, const struct sms__device *device, double ps, double gone_ps,
                         struct sms__phase *phase)
{
    const struct sms__step *step = &workload->step[phase->step];
    const struct sms__kernel *kernel = step->kind == SMS__LAUNCH ? &workload->kernel[step->kernel] : NULL;
    if (kernel && !kernel->whole) {
        begin_blocks(scenario, kernel, &fit[step->kernel], device, ps, gone_ps, phase);
    } else {
        phase->delay_ps = fmod(ps - gone_ps, fmin(AT_ONCE_PS, most_delay_ps(scenario)));
        phase->done = 1 - (ps - gone_ps - phase->delay_ps) / ps;
    }
    if (phase->done < 1)
        return;
    phase->done = 0;
    if (++phase->times < (uint64_t)sms__step_times(step))
        return;
    phase->times = 0;
    phase->step = (phase->step + 1) % workload->steps;
}

struct sms__phase sms__phase_at(const struct sms_scenario *scenario, const struct sms__workload *workload,
                                const struct sms__footprint *fit, const struct sms__device *device, double u)
{
    double left_ps = u * sms__measure_job(workload, fit, device);
    struct sms__phase phase = {0};
    for (; phase.step < workload->steps; phase.step++) {
        double ps = sms__measure_step(workload, phase.step, fit, device);
        double all_ps = ps * sms__step_times(&workload->step[phase.step]);
        if (left_ps < all_ps) {
            phase.times = (uint64_t)fmin(left_ps / ps, sms__step_times(&workload->step[phase.step]) - 1);
            begin_within(scenario, workload, fit, device, ps, left_ps - (double)phase.times * ps, &phase);
            return phase;
        }
        left_ps -= all_ps;
    }
    return (struct sms__phase){0}; /* rounding has left less than a picosecond of the job */
}

struct sms__phase sms__phase_before(const struct sms_scenario *scenario, const struct sms__workload *workload,
                                    const struct sms__footprint *fit, const struct sms__device *device, double u)
{
    double delay_ps = u * sms__measure_job(workload, fit, device);
    return (struct sms__phase){.delay_ps = fmod(delay_ps, most_delay_ps(scenario))};
}
