/* How pods with workloads end. A pod completes with the last of its processes; if one fails, all fail. It leaves its
 * node when all else of that instant has happened. */
#include "cluster_run.h"
#include "../share/slot.h"
#include "../share/stream.h"
#include "host_state.h"
#include "scheduler.h"

static bool is_first_to_fail(struct sms__pod *pod, const struct sms__process *process)
{
    bool first = process->record->failed && !pod->failed;
    pod->failed |= process->record->failed;
    return first;
}

static void note_slowdown(struct sms__hosts *hosts, uint32_t p, uint64_t ran_ps)
{
    struct sms__cluster_record *record = hosts->run->record;
    const struct sms__pod *pod = &hosts->run->pod[p];
    if (!hosts->alone || pod->failed)
        return;
    const struct sms__stand_alone *alone =
        sms__hosts_stand_alone(hosts, hosts->alone, pod->tenant - 1u, sms__pod_whole_device(hosts->run, pod));
    if (alone->failed || alone->ps == SMS__NEVER)
        return;
    sms__histogram_add(&record->work.slowdown,
                       (uint64_t)((double)ran_ps / (double)alone->ps * SMS__SLOWDOWN_ONE + 0.5));
    const sms__integral alone_ps = (sms__integral)alone->ps * sms__pod_processes(hosts->run, p);
    record->work.alone_ps += alone_ps;
    hosts->spec.record->vm[pod->tenant - 1].alone_ps += alone_ps;
}

static void end_process(void *subject, struct sms__process *process, uint64_t now)
{
    struct sms__hosts *hosts = subject;
    struct sms__cluster_run *run = hosts->run;
    struct sms__pod *pod = &run->pod[process->arrival.tag];
    if (is_first_to_fail(pod, process))
        sms__share_each(process->share, process->arrival.tag, sms__process_fail, now);
    if (--pod->left > 0)
        return;
    note_slowdown(hosts, (uint32_t)process->arrival.tag, now - process->arrived_ps);
    if (hosts->completions == hosts->room) {
        hosts->room = hosts->room ? 2 * hosts->room : 16;
        hosts->completed =
            sms__enlarge(run->arena, hosts->completed, hosts->completions, hosts->room, sizeof *hosts->completed);
    }
    hosts->completed[hosts->completions++] = (uint32_t)process->arrival.tag;
    sms__engine_at(&run->engine, hosts->source, now);
}

static void end_pod(struct sms__hosts *hosts, uint32_t p, uint64_t now)
{
    hosts->ending -= hosts->spec.scenario->vm[hosts->run->pod[p].tenant - 1].repeat > 0;
    sms__pod_end(hosts->run, p, now);
}

bool sms__hosts_end(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__hosts *hosts = run->hosts;
    const bool any = hosts->completions > 0;
    for (size_t i = 0; i < hosts->completions; i++)
        end_pod(hosts, hosts->completed[i], now);
    hosts->completions = 0;
    return any;
}

void sms__hosts_lasted(struct sms__cluster_run *run, uint32_t p)
{
    const struct sms__pod *pod = &run->pod[p];
    if (pod->tenant)
        note_slowdown(run->hosts, p, pod->duration_ps);
}

bool sms__hosts_go_on(struct sms__cluster_run *run)
{
    return run->hosts && run->hosts->ending > 0 && sms__engine_next(&run->engine) != SMS__NEVER;
}

void sms__completion_init(struct sms__cluster_run *run, void (*fire)(void *subject, uint64_t now))
{
    if (!sms__hosts_simulate(run))
        return;
    run->hosts->ended = end_process;
    run->hosts->source = sms__engine_source(&run->engine, SMS__LEVEL_POLICY, fire, run);
}
