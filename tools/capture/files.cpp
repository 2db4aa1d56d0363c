#include "files.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <stdexcept>

#include <sys/stat.h>

static FILE *create(const std::string &path)
{
    FILE *file = fopen(path.c_str(), "wx");
    if (!file)
        throw std::runtime_error(path + ": " + strerror(errno));
    return file;
}

static void write_head(FILE *to, const gpu_facts &f, const std::string &sharing)
{
    char date[32];
    time_t now = time(nullptr);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(to, "# capture: 1\n# origin: %s\n# device: %s\n# date: %s\n# sharing: %s\n",
            f.synthetic ? "synthetic" : "measured", f.device, date, sharing.c_str());
    fprintf(to, "# compute_capability: %d.%d\n# driver: %d.%d\n# runtime: %d.%d\n", f.major, f.minor, f.driver / 1000,
            f.driver % 1000 / 10, f.runtime / 1000, f.runtime % 1000 / 10);
    fprintf(to,
            "# sms: %d\n# part_sms: %d\n# clock_khz: %d\n# threads_per_sm: %d\n# blocks_per_sm: %d\n# "
            "registers_per_sm: %d\n",
            f.sms, f.part_sms, f.clock_khz, f.threads_per_sm, f.blocks_per_sm, f.registers_per_sm);
    fprintf(to, "# shared_memory_per_sm_bytes: %zu\n# shared_memory_reserved_bytes: %zu\n", f.shared_per_sm,
            f.shared_reserved);
    fprintf(to, "# shared_memory_per_block_bytes: %zu\n", f.shared_per_block);
    fprintf(to, "# l2_bytes: %zu\n# memory_bytes: %zu\n# timer_step_ns: %u\n", f.l2_bytes, f.memory_bytes,
            f.timer_step_ns);
}

files::files(const std::string &folder, const gpu_facts &facts, const std::string &sharing)
{
    if (mkdir(folder.c_str(), 0777) && errno != EEXIST)
        throw std::runtime_error(folder + ": " + strerror(errno));
    launches = create(folder + "/launches.csv");
    blocks = create(folder + "/blocks.csv");
    numbers = create(folder + "/numbers.csv");
    write_head(launches, facts, sharing);
    write_head(blocks, facts, sharing);
    write_head(numbers, facts, sharing);
    fprintf(numbers, "quantity,x,value,unit\n");
    fprintf(launches, "launch,run,kind,slot,repetition,kernel,intensity_percent,chains,blocks,threads_per_block,"
                      "registers_per_thread,shared_memory_bytes,resident_blocks_per_sm,rounds,idle_cycles,"
                      "operations_per_block,warp_instructions_per_block\n");
    fprintf(blocks, "launch,block,sm,start_ns,end_ns,cycles\n");
}

files::~files()
{
    if (launches)
        fclose(launches);
    if (blocks)
        fclose(blocks);
    if (numbers)
        fclose(numbers);
}

void files::add_launch(const char *kind, int slot, int repetition, const shape &s,
                       const std::vector<block_record> &records)
{
    fprintf(launches, "%u,%u,%s,%d,%d,%s,%d,%u,%u,%u,%u,%u,%u,%u,%u,%llu,%llu\n", launch, run, kind, slot, repetition,
            resource_name[s.kernel], s.intensity_percent, s.chains, s.blocks, s.threads, s.registers, s.shared_bytes,
            s.resident, s.rounds, s.idle_cycles, s.operations(), s.warp_instructions());
    for (size_t i = 0; i < records.size(); i++)
        fprintf(blocks, "%u,%zu,%u,%llu,%llu,%llu\n", launch, i, records[i].sm, records[i].start_ns, records[i].end_ns,
                records[i].cycles);
    launch++;
}

void files::add(const char *kind, int repetition, const std::vector<shape> &shapes,
                const std::vector<std::vector<block_record>> &records)
{
    for (size_t i = 0; i < shapes.size(); i++)
        add_launch(kind, (int)i, repetition, shapes[i], records[i]);
    run++;
}

void files::add_number(const char *quantity, double x, double value, const char *unit)
{
    fprintf(numbers, "%s,%.0f,%.7g,%s\n", quantity, x, value, unit);
}

void files::finish()
{
    bool failed = ferror(launches) || ferror(blocks) || ferror(numbers);
    failed |= fclose(launches) != 0;
    failed |= fclose(blocks) != 0;
    failed |= fclose(numbers) != 0;
    launches = blocks = numbers = nullptr;
    if (failed)
        throw std::runtime_error("the CSV could not be written");
}
