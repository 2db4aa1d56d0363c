-- How much longer pods are on their node than alone: the mean and percentiles.
-- @needs cluster answers
-- @figures slowdown
SELECT 'slowdown' AS name, '' AS title WHERE EXISTS (SELECT 1 FROM cluster WHERE slowdown_mean_ratio IS NOT NULL);
-- @each bar
SELECT scenario, policy, name, 0 AS is_all, value, ci95 FROM (
    SELECT 1 AS sub, rowid AS number, scenario, policy, 'mean' AS name, slowdown_mean_ratio AS value, ci95_slowdown_mean_ratio AS ci95 FROM cluster
    UNION ALL SELECT 2, rowid, scenario, policy, '95th percentile', slowdown_p95_ratio, ci95_slowdown_p95_ratio FROM cluster
    UNION ALL SELECT 3, rowid, scenario, policy, '99th percentile', slowdown_p99_ratio, ci95_slowdown_p99_ratio FROM cluster) ORDER BY number, sub;
-- @each bar_about
SELECT DISTINCT scenario, 'Time on the node over time alone' AS what, 'count' AS kind, '' AS unit, scenario AS title, NULL AS bound FROM bar;
-- @include bars
