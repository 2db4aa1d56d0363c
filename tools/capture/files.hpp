/* launches.csv and blocks.csv of a capture; docs/how-to/capture.md has the columns. */
#ifndef CAPTURE_FILES_HPP
#define CAPTURE_FILES_HPP

#include "gpu.hpp"

#include <cstdio>

class files
{
  public:
    /* Makes the folder; throws if it is there already, so that no capture is overwritten. */
    files(const std::string &folder, const gpu_facts &facts, const std::string &sharing);
    ~files();
    files(const files &) = delete;
    files &operator=(const files &) = delete;

    /* Launches of one run were on the GPU together. */
    void add(const char *kind, int repetition, const std::vector<shape> &shapes,
             const std::vector<std::vector<block_record>> &records);
    /* A device number: value at x, as numbers.csv names them. */
    void add_number(const char *quantity, double x, double value, const char *unit);
    /* Throws if something could not be written. */
    void finish();

  private:
    void add_launch(const char *kind, int slot, int repetition, const shape &shape,
                    const std::vector<block_record> &records);
    FILE *launches, *blocks, *numbers;
    unsigned run = 0, launch = 0;
};

#endif
