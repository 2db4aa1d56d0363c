#include "runner.hpp"

#include <chrono>
#include <cstring>
#include <stdexcept>

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace
{
/* Without sleep, which takes longer. */
void wait_us(double us)
{
    auto until = std::chrono::steady_clock::now() + std::chrono::duration<double, std::micro>(us);
    while (us > 0 && std::chrono::steady_clock::now() < until)
        ;
}

class streams : public runner
{
  public:
    streams(int device, stream_kind kind) : one(device, kind) {}
    gpu_facts facts() override { return one.facts(); }
    void prepare(shape &shape, double block_us) override { one.prepare(shape, block_us); }
    std::vector<std::vector<block_record>> run(const std::vector<shape> &shapes, double delay_us) override
    {
        std::vector<std::vector<block_record>> records;
        for (size_t i = 0; i < shapes.size(); i++) {
            if (i > 0)
                wait_us(delay_us);
            one.launch((int)i, shapes[i]);
        }
        for (size_t i = 0; i < shapes.size(); i++)
            records.push_back(one.wait((int)i));
        return records;
    }
    double launch_ns(const shape &shape, unsigned times) override { return one.launch_ns(shape, times); }
    std::vector<std::vector<block_record>> watch(double) override { return {}; }

  private:
    gpu one;
};

/* What goes to a client. GO follows ARM, so that two clients begin together. */
enum order : int { FACTS, PREPARE, ARM, GO, WATCH_FIRST, WATCH_SECOND };

struct request {
    order what;
    struct shape shape;
    double block_us;
};

/* Before each answer; text if it failed. */
struct answer {
    bool failed;
    char text[512];
};

void write_all(int fd, const void *bytes, size_t n)
{
    for (const char *c = (const char *)bytes; n > 0;) {
        ssize_t wrote = write(fd, c, n);
        if (wrote <= 0)
            throw std::runtime_error("a process of the pair is gone");
        c += wrote;
        n -= (size_t)wrote;
    }
}

/* False at the end of the pipe. */
bool read_all(int fd, void *bytes, size_t n)
{
    for (char *c = (char *)bytes; n > 0;) {
        ssize_t got = read(fd, c, n);
        if (got <= 0)
            return false;
        c += got;
        n -= (size_t)got;
    }
    return true;
}

void write_records(int to, const std::vector<block_record> &records)
{
    size_t n = records.size();
    write_all(to, &n, sizeof n);
    write_all(to, records.data(), n * sizeof(block_record));
}

void answer_fine(int to)
{
    answer fine = {};
    write_all(to, &fine, sizeof fine);
}

/* A request done, and answered. */
void obey(gpu &one, request &asked, int to)
{
    if (asked.what == FACTS) {
        gpu_facts facts = one.facts();
        answer_fine(to);
        write_all(to, &facts, sizeof facts);
    } else if (asked.what == PREPARE) {
        one.prepare(asked.shape, asked.block_us);
        answer_fine(to);
        write_all(to, &asked.shape, sizeof asked.shape);
    } else if (asked.what == GO) {
        one.launch(0, asked.shape);
        std::vector<block_record> records = one.wait(0);
        answer_fine(to);
        write_records(to, records);
    } else if (asked.what == WATCH_FIRST || asked.what == WATCH_SECOND) {
        std::vector<block_record> records = one.watch(asked.what == WATCH_SECOND, asked.block_us);
        answer_fine(to);
        write_records(to, records);
    } else {
        answer_fine(to);
    }
}

/* The life of a client: ends with the pipe. */
int serve(int device, const std::string &partition, bool below, int from, int to)
{
    try {
        if (below)
            setenv("CUDA_MPS_CLIENT_PRIORITY", "1", 1);
        if (!partition.empty())
            setenv("CUDA_MPS_SM_PARTITION", partition.c_str(), 1);
        gpu one(device);
        for (request asked; read_all(from, &asked, sizeof asked);)
            obey(one, asked, to);
        return 0;
    } catch (const std::exception &error) {
        answer failed = {true, {}};
        strncpy(failed.text, error.what(), sizeof failed.text - 1);
        return write(to, &failed, sizeof failed) == (ssize_t)sizeof failed ? 1 : 4;
    }
}

class client
{
  public:
    client(int device, const std::string &partition, bool below)
    {
        int down[2], up[2];
        if (pipe(down) || pipe(up))
            throw std::runtime_error("no pipe");
        process = fork();
        if (process < 0)
            throw std::runtime_error("no process");
        if (process == 0) {
            close(down[1]);
            close(up[0]);
            _exit(serve(device, partition, below, down[0], up[1]));
        }
        close(down[0]);
        close(up[1]);
        to = down[1];
        from = up[0];
    }
    ~client()
    {
        close(to);
        close(from);
        waitpid(process, nullptr, 0);
    }
    client(const client &) = delete;
    client &operator=(const client &) = delete;

    void ask(order what, const shape &shape = {}, double block_us = 0)
    {
        request asked = {what, shape, block_us};
        try {
            write_all(to, &asked, sizeof asked);
        } catch (const std::runtime_error &) {
            take_answer(); /* its last word says why it is gone */
            throw;
        }
    }
    void take(void *into, size_t n)
    {
        if (!read_all(from, into, n))
            throw std::runtime_error("a process of the pair is gone");
    }
    void take_answer()
    {
        answer answer;
        take(&answer, sizeof answer);
        if (answer.failed)
            throw std::runtime_error(answer.text);
    }
    std::vector<block_record> take_records()
    {
        size_t n;
        take_answer();
        take(&n, sizeof n);
        std::vector<block_record> records(n);
        take(records.data(), n * sizeof(block_record));
        return records;
    }

  private:
    pid_t process;
    int to, from;
};

/* The second client inherits the first one's ends of the pipes; that only delays its end until the second's. So they
 * end in that order: members are destroyed from the last to the first. */
class processes : public runner
{
  public:
    processes(int device, const std::vector<std::string> &partitions, bool priority)
        : clients{{std::make_unique<client>(device, partitions[0], priority),
                   std::make_unique<client>(device, partitions[1], false)}}
    {
    }
    gpu_facts facts() override
    {
        gpu_facts facts;
        clients.pair[0]->ask(FACTS);
        clients.pair[0]->take_answer();
        clients.pair[0]->take(&facts, sizeof facts);
        return facts;
    }
    /* Both load the kernel; what the first measured is kept. */
    void prepare(shape &shape, double block_us) override
    {
        struct shape other;
        for (int i = 1; i >= 0; i--) {
            clients.pair[i]->ask(PREPARE, shape, block_us);
            clients.pair[i]->take_answer();
            clients.pair[i]->take(i ? &other : &shape, sizeof shape);
        }
    }
    std::vector<std::vector<block_record>> run(const std::vector<shape> &shapes, double delay_us) override
    {
        std::vector<std::vector<block_record>> records;
        for (size_t i = 0; i < shapes.size(); i++) {
            clients.pair[i]->ask(ARM);
            clients.pair[i]->take_answer();
        }
        for (size_t i = 0; i < shapes.size(); i++) {
            if (i > 0)
                wait_us(delay_us);
            clients.pair[i]->ask(GO, shapes[i]);
        }
        for (size_t i = 0; i < shapes.size(); i++)
            records.push_back(clients.pair[i]->take_records());
        return records;
    }
    double launch_ns(const shape &, unsigned) override { return 0; }
    std::vector<std::vector<block_record>> watch(double us) override
    {
        std::vector<std::vector<block_record>> records;
        for (int i = 0; i < 2; i++) {
            clients.pair[i]->ask(ARM);
            clients.pair[i]->take_answer();
        }
        for (int i = 0; i < 2; i++)
            clients.pair[i]->ask(i ? WATCH_SECOND : WATCH_FIRST, {}, us);
        for (int i = 0; i < 2; i++)
            records.push_back(clients.pair[i]->take_records());
        return records;
    }

  private:
    struct both {
        std::unique_ptr<client> pair[2];
        ~both()
        {
            pair[1].reset();
            pair[0].reset();
        }
    } clients;
};
} // namespace

std::unique_ptr<runner> on_streams(int device, stream_kind kind) { return std::make_unique<streams>(device, kind); }

std::unique_ptr<runner> on_processes(int device, const std::vector<std::string> &partitions, bool priority)
{
    signal(SIGPIPE, SIG_IGN);
    return std::make_unique<processes>(device, partitions.empty() ? std::vector<std::string>(2) : partitions, priority);
}
