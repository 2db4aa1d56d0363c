/* Network flows through SimGrid, for test_simgrid.c. Reads
 *
 *     scenario               links and hosts of its own from here on
 *     link BANDWIDTH         bytes per second; they are numbered from 0
 *     actor START            starts at so many seconds, then does its steps in order
 *     step                   starts its flows together and ends with the last of them
 *     flow BYTES RATE LINK:TIMES ...
 *
 * and prints start and end of each flow, in the order read. A flow whose route
 * crosses a link n times takes n bytes of it for each byte sent: that is a
 * weight. RATE is the bandwidth of one more link, the flow's own. Without
 * latency SimGrid's fluid model CM02 gives max-min fair rates. */
#include <simgrid/s4u.hpp>

#include <cstdio>
#include <deque>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

struct Flow {
    sg::Host *from, *to;
    uint64_t bytes;
    double start = -1, end = -1;
};

struct Chain {
    double start;
    std::vector<std::vector<Flow *>> steps;
};

class Platform
{
  public:
    void scenario();
    void link(double bandwidth) { links.push_back(new_link(bandwidth)); }
    Flow flow(std::istream &words);
    void seal();
    sg::Host *anywhere() const { return sink; }

  private:
    sg::Link *new_link(double bandwidth) { return zone->create_link(name("l"), bandwidth)->seal(); }
    std::string name(const char *kind) { return kind + std::to_string(++named); }

    sg::NetZone *root = sg::create_full_zone("root"), *zone = nullptr;
    sg::Host *sink = nullptr;
    std::vector<sg::Link *> links;
    unsigned long named = 0;
};

void Platform::scenario()
{
    if (zone)
        zone->seal();
    zone = sg::create_full_zone(name("z"))->set_parent(root);
    sink = zone->create_host(name("h"), 1)->seal();
    links.clear();
}

Flow Platform::flow(std::istream &words)
{
    Flow flow{zone->create_host(name("h"), 1)->seal(), sink, 0};
    double rate;
    words >> flow.bytes >> rate;
    std::vector<sg::LinkInRoute> route{sg::LinkInRoute(new_link(rate))};
    size_t link, times;
    for (char colon; words >> link >> colon >> times;)
        route.insert(route.end(), times, sg::LinkInRoute(links.at(link)));
    zone->add_route(flow.from->get_netpoint(), flow.to->get_netpoint(), nullptr, nullptr, route, false);
    return flow;
}

void Platform::seal()
{
    zone->seal();
    root->seal();
}

static void read(Platform &platform, std::deque<Flow> &flows, std::deque<Chain> &chains)
{
    for (std::string line, word; std::getline(std::cin, line);) {
        std::istringstream words(line);
        double number = 0;
        words >> word;
        if (word == "scenario") {
            platform.scenario();
        } else if (word == "link") {
            words >> number;
            platform.link(number);
        } else if (word == "actor") {
            words >> number;
            chains.push_back({number, {}});
        } else if (word == "step") {
            chains.back().steps.emplace_back();
        } else {
            flows.push_back(platform.flow(words));
            chains.back().steps.back().push_back(&flows.back());
        }
    }
}

static void run(const Chain &chain)
{
    sg::this_actor::sleep_until(chain.start);
    for (const auto &step : chain.steps) {
        std::vector<sg::CommPtr> comms;
        for (const Flow *flow : step)
            comms.push_back(sg::Comm::sendto_async(flow->from, flow->to, flow->bytes));
        for (size_t i = 0; i < step.size(); i++) {
            comms[i]->wait();
            step[i]->start = comms[i]->get_start_time();
            step[i]->end = comms[i]->get_finish_time();
        }
    }
}

int main(int argc, char **argv)
{
    sg::Engine engine(&argc, argv);
    for (const char *setting : {"network/model:CM02", "network/crosstraffic:0", "network/weight-S:0",
                                "network/bandwidth-factor:1", "maxmin/precision:1e-12", "surf/precision:1e-9"})
        sg::Engine::set_config(setting);
    Platform platform;
    std::deque<Flow> flows; /* deques: what is in them stays where it is */
    std::deque<Chain> chains;
    read(platform, flows, chains);
    platform.seal();
    for (const Chain &chain : chains)
        sg::Actor::create("chain", platform.anywhere(), [&chain] { run(chain); });
    engine.run();
    for (const Flow &flow : flows)
        std::printf("%.9f %.9f\n", flow.start, flow.end);
    return 0;
}
