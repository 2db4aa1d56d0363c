-- Turnaround of processes: one by one if there are at most 12, else of all.
-- @needs processes
-- @figures turnaround
SELECT 'turnaround' AS name, '' AS title WHERE EXISTS (SELECT 1 FROM processes WHERE turnaround_ns IS NOT NULL);
-- @each crowd
SELECT scenario, count(DISTINCT process) > 13 AS many, count(DISTINCT process) > 2 AS several FROM processes GROUP BY scenario;
-- @each bar
SELECT p.scenario, policy, process AS name, process = 'all' AS is_all, turnaround_ns AS value, ci95_turnaround_ns AS ci95 FROM processes p JOIN crowd USING (scenario)
WHERE CASE process WHEN 'all' THEN several ELSE NOT many END ORDER BY p.rowid;
-- @each bar_about
SELECT DISTINCT scenario, 'Turnaround' AS what, 'time' AS kind, '' AS unit, scenario AS title, NULL AS bound FROM bar;
-- @include bars
