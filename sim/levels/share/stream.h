/* What a stream does: jobs, steps, and what these ask for. The files call each other downwards in this order: step.c,
 * ask.c, suspend.c, launch.c, job_arrivals.c, transfer.c, process.c. Upwards there is one call: sms__stream_go_on,
 * through the host's `go_on`. */
#ifndef SMS_LEVELS_SHARE_STREAM_H
#define SMS_LEVELS_SHARE_STREAM_H

#include "process.h"

/* step.c: begins the stream's next step, or ends its job. */
void sms__stream_go_on(struct sms__stream *stream, uint64_t now);

/* ask.c: the process arrives at `start`. */
void sms__process_arrive_at(struct sms__process *process, uint64_t start);
/* Enters the phase and asks the policy. If the answer is to wait, asks again when something has changed. Returns true
 * if the step has ended at once. */
bool sms__stream_request(struct sms__stream *stream, enum sms_phase phase, uint64_t now);
/* For the list of those that wait. Returns false if the stream still waits. */
bool sms__stream_ask_again(struct sms__stream *stream, uint64_t now);
/* Calls a function of the policy about this stream. */
enum sms_answer sms__stream_consult(struct sms__stream *stream,
                                    enum sms_answer (*ask)(struct sms_share *share, size_t process));

/* suspend.c: copies the process to the host at a call of this stream. Its other streams come to rest first. */
void sms__stream_suspend(struct sms__stream *stream, uint64_t now);
/* Begins that copy once no stream of the process copies or has a kernel on the device. */
void sms__process_drain(struct sms__process *process, uint64_t now);
/* Copies a suspended process back. Returns false if it is not suspended, or there is no room for it. */
bool sms__process_restore(struct sms__process *process, struct sms__instance *instance, uint64_t now);

/* launch.c: the kernel of the stream's step. */
void sms__stream_launch(struct sms__stream *stream, uint64_t now);
/* Returns the part of the device that the kernel asks for, 0..1. */
double sms__stream_core(const struct sms__stream *stream, size_t kernel);

/* transfer.c: a copy over the link of the GPU and the links that all GPUs share; and a host step on the cores. */
void sms__stream_copy(struct sms__stream *stream, bool in, double bytes, void (*done)(void *stream, uint64_t now),
                      uint64_t now);
void sms__stream_compute(struct sms__stream *stream, double ps, void (*done)(void *stream, uint64_t now), uint64_t now);

/* job_arrivals.c: prepares process->jobs. `number` selects the random numbers. */
void sms__process_receive_jobs(struct sms__process *process, uint64_t seed, size_t number);
/* Whether no job waits and none will arrive. */
bool sms__process_jobs_are_over(const struct sms__process *process);
/* Takes the oldest job that waits, or stays idle until one arrives. */
void sms__stream_await_job(struct sms__stream *stream, uint64_t now);

/* process.c: begins the stream's first job, if there is one: the streams of a VM take jobs from one number of them.
 */
void sms__stream_begin(struct sms__stream *stream, uint64_t now);
/* Begins a job at its first step; ends a step, and goes on with the next. */
void sms__stream_begin_job(struct sms__stream *stream, uint64_t now);
void sms__stream_end_step(struct sms__stream *stream, uint64_t now);
void sms__stream_next_step(struct sms__stream *stream); /* without going on */
/* Notes that the job uses the device, or that it has ended. */
void sms__job_use_device(struct sms__stream *stream, bool uses, uint64_t now);
/* Adds what is done of the job under way to the record (sign 1), or subtracts it (-1). `parts`: of its kernel. */
void sms__job_add_partial(struct sms__stream *stream, int sign, uint64_t parts);
uint64_t sms__job_deadline(const struct sms__stream *stream); /* ps; UINT64_MAX if it has none */

#endif
