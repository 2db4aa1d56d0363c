-- Turnaround of the pods of a cluster, where they run workloads: the mean and percentiles.
-- @needs cluster answers
-- @figures turnaround
SELECT 'turnaround' AS name, '' AS title WHERE EXISTS (SELECT 1 FROM cluster WHERE turnaround_mean_ns IS NOT NULL AND slowdown_mean_ratio IS NOT NULL);
-- @each bar
SELECT scenario, policy, name, 0 AS is_all, value, ci95 FROM (
    SELECT 1 AS sub, rowid AS number, scenario, policy, 'mean' AS name, turnaround_mean_ns AS value, ci95_turnaround_mean_ns AS ci95 FROM cluster
    UNION ALL SELECT 2, rowid, scenario, policy, 'median', turnaround_p50_ns, ci95_turnaround_p50_ns FROM cluster
    UNION ALL SELECT 3, rowid, scenario, policy, '95th percentile', turnaround_p95_ns, ci95_turnaround_p95_ns FROM cluster) ORDER BY number, sub;
-- @each bar_about
SELECT DISTINCT scenario, 'Turnaround' AS what, 'time' AS kind, '' AS unit, scenario AS title, NULL AS bound FROM bar;
-- @include bars
