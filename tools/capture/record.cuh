/* What each block writes down: where it ran, and from when to when. */
#ifndef CAPTURE_RECORD_CUH
#define CAPTURE_RECORD_CUH

#include "gpu.hpp"

/* Nanoseconds, the same on all SMs and in all processes; it may move in steps of up to a microsecond, which the runner
 * measures (timer_step_ns). */
__device__ inline unsigned long long global_ns()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Cycles of this SM; not comparable with another SM's. */
__device__ inline unsigned long long sm_cycles()
{
    unsigned long long cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

__device__ inline unsigned sm_id()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

struct stopwatch {
    unsigned long long ns, cycles;

    __device__ void start()
    {
        ns = global_ns();
        cycles = sm_cycles();
    }

    /* By one thread, when the whole block is done. */
    __device__ void stop(block_record *to) const
    {
        to->cycles = sm_cycles() - cycles;
        to->end_ns = global_ns();
        to->start_ns = ns;
        to->sm = sm_id();
    }
};

#endif
