/* The blocks of tools/bench in SimGrid: 80 hosts with 16 actors each, whose executions share the host max-min fairly. A
 * block takes one resource where smsched's has eight. Usage: blocks BLOCKS; prints the version and the CPU seconds. */
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

namespace sg = simgrid::s4u;

static const double times_us[] = {90, 97, 104, 111}, demand[] = {.06, .07, .08, .09};

/* Runs the blocks of one slot, one after another, until none is left. */
static void run_blocks(long &left, std::mt19937 &bits)
{
    std::normal_distribution<double> jitter(1, .1);
    while (left > 0) {
        long kernel = --left % 4;
        double share = demand[kernel], us = times_us[kernel] * std::max(.01, jitter(bits));
        sg::this_actor::exec_init(us * 1e-6 * share)->set_bound(share)->wait();
    }
}

int main(int argc, char **argv)
{
    sg::Engine engine(&argc, argv);
    long left = argc > 1 ? std::atol(argv[1]) : 0;
    std::mt19937 bits(1);
    auto *zone = sg::create_full_zone("device");
    for (int sm = 0; sm < 80; sm++)
        zone->create_host("sm" + std::to_string(sm), 1.0)->seal();
    zone->seal();
    for (sg::Host *host : engine.get_all_hosts())
        for (int slot = 0; slot < 16; slot++)
            sg::Actor::create("slot", host, [&] { run_blocks(left, bits); });
    std::clock_t start = std::clock();
    engine.run();
    std::printf("%d.%d %g\n", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR,
                double(std::clock() - start) / CLOCKS_PER_SEC);
}
