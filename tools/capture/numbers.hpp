/* Numbers of the device that a simulation needs: what launches and blocks cost, what memory gives, the clock. */
#ifndef CAPTURE_NUMBERS_HPP
#define CAPTURE_NUMBERS_HPP

#include "files.hpp"
#include "runner.hpp"

/* Writes rows of numbers.csv; docs/how-to/capture.md says which. */
void capture_numbers(runner &on, files &to, const gpu_facts &facts, int repetitions);
/* The same of two processes that take turns, without MPS. Throws if they did not. */
void capture_slices(runner &on, files &to);

#endif
