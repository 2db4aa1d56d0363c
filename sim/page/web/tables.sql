-- The CSV files of a results folder that have pictures. Each table has the name of its file. Its constraints are the only check of what
-- is in the file; their names end the message about a line that breaks them.
CREATE TABLE heatmap (
    scenario TEXT NOT NULL, policy TEXT NOT NULL, device TEXT,
    sm INT NOT NULL CONSTRAINT "an SM is out of range" CHECK (sm BETWEEN 0 AND 19999),
    time_ns REAL NOT NULL CONSTRAINT "a time is out of range" CHECK (time_ns BETWEEN 0 AND 1e18),
    width_ns REAL NOT NULL CONSTRAINT "a width is out of range" CHECK (width_ns > 0 AND width_ns <= 1e18),
    occupancy_ratio REAL NOT NULL CONSTRAINT "an occupancy is out of range" CHECK (occupancy_ratio BETWEEN 0 AND 1e6)
) STRICT;
CREATE TABLE timeline (
    scenario TEXT NOT NULL, policy TEXT NOT NULL, device TEXT, vm TEXT NOT NULL,
    sm INT NOT NULL CONSTRAINT "an SM is out of range" CHECK (sm BETWEEN 0 AND 100000),
    start_ns REAL NOT NULL, end_ns REAL NOT NULL CONSTRAINT "a time is out of range" CHECK (start_ns >= 0 AND end_ns BETWEEN start_ns AND 1e18),
    blocks INT NOT NULL CONSTRAINT "a number of blocks is out of range" CHECK (blocks BETWEEN 1 AND 4096)
) STRICT;
CREATE TABLE waits (
    scenario TEXT NOT NULL, policy TEXT NOT NULL, device TEXT, vm TEXT NOT NULL, kernel TEXT NOT NULL, reason TEXT NOT NULL,
    launch_ns REAL NOT NULL, end_ns REAL NOT NULL CONSTRAINT "a time is out of range" CHECK (launch_ns >= 0 AND end_ns BETWEEN launch_ns AND 1e18),
    waited_ns REAL NOT NULL CONSTRAINT "a wait is out of range" CHECK (waited_ns BETWEEN 0 AND 1e18),
    sms INT NOT NULL CONSTRAINT "a number of SMs is out of range" CHECK (sms BETWEEN 0 AND 100000)
) STRICT;
CREATE TABLE spans (
    scenario TEXT NOT NULL, policy TEXT NOT NULL, process TEXT NOT NULL, state TEXT NOT NULL,
    start_ns REAL NOT NULL, end_ns REAL NOT NULL CONSTRAINT "a time is out of range" CHECK (start_ns >= 0 AND end_ns BETWEEN start_ns AND 1e18)
) STRICT;
CREATE TABLE placements (
    scenario TEXT NOT NULL, policy TEXT NOT NULL, pod TEXT NOT NULL, node TEXT NOT NULL,
    time_ns REAL NOT NULL, wait_ns REAL NOT NULL,
    end_ns REAL NOT NULL CONSTRAINT "a time is out of range" CHECK (time_ns >= 0 AND wait_ns >= 0 AND end_ns BETWEEN time_ns AND 1e18),
    gpus TEXT CONSTRAINT "a list of GPUs is malformed; their numbers are below 64" CHECK ( -- or 3:2g.10gb@4-5, an instance
        gpus GLOB '[0-9]:?*@[0-7]-[0-7]' OR gpus GLOB '1[0-9]:?*@[0-7]-[0-7]' OR
        gpus NOT GLOB '*[^0-9 ]*' AND gpus NOT GLOB '*  *' AND gpus NOT GLOB ' *' AND gpus NOT GLOB '* ' AND
        gpus NOT GLOB '*[0-9][0-9][0-9]*' AND gpus NOT GLOB '*[7-9][0-9]*' AND gpus NOT GLOB '*6[4-9]*' AND gpus NOT GLOB '*0[0-9]*'),
    allocated_ratio REAL NOT NULL,
    ended TEXT NOT NULL CONSTRAINT "no pod ends so" CHECK (ended IN ('done', 'failed', 'running', 'timed_out', 'moved'))
) STRICT;
CREATE TABLE allocation (
    scenario TEXT NOT NULL, policy TEXT NOT NULL,
    arrived_ratio REAL NOT NULL, allocated_ratio REAL NOT NULL, fragment_ratio REAL NOT NULL
) STRICT;
