/* The programs of build/bin/calibrate; each returns an exit code. */
#ifndef TOOLS_CALIBRATE_H
#define TOOLS_CALIBRATE_H

int calibrate_fine_grained(const char *folder);                            /* NULL: where its workloads are */
int calibrate_fine_grained_limited(const char *slope, const char *folder); /* slope: of contention, as text */

#endif
