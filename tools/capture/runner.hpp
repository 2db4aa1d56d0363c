/* Who launches: one process with two streams, which may be in green contexts, or two processes under MPS, which may be
 * in static partitions. */
#ifndef CAPTURE_RUNNER_HPP
#define CAPTURE_RUNNER_HPP

#include "gpu.hpp"

class runner
{
  public:
    virtual ~runner() = default;
    virtual gpu_facts facts() = 0;
    virtual void prepare(shape &shape, double block_us) = 0;
    /* One launch, or two, the second `delay_us` after the first as nearly as can be; what each block wrote. */
    virtual std::vector<std::vector<block_record>> run(const std::vector<shape> &shapes, double delay_us = 0) = 0;
    /* As gpu::launch_ns; 0 where launches of two processes are compared. */
    virtual double launch_ns(const shape &shape, unsigned times) = 0;
    /* As gpu::watch, of two processes at once; nothing where there is one. */
    virtual std::vector<std::vector<block_record>> watch(double us) = 0;
};

std::unique_ptr<runner> on_streams(int device, stream_kind streams);
/* To be called before CUDA is: it forks. `partitions`: none, or the partition of each of the two, as MPS names it.
 * `priority`: the first is a client of MPS below normal. */
std::unique_ptr<runner> on_processes(int device, const std::vector<std::string> &partitions, bool priority);

#endif
