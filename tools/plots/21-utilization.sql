-- What is in use of each resource of the SMs. What is never above half a percent is left out.
-- @needs resources
-- @figures utilization
SELECT 'utilization' AS name, '' AS title WHERE NOT (SELECT yes FROM is_pairs) AND EXISTS (SELECT 1 FROM resources);
-- @each bar
SELECT scenario, policy, resource AS name, 0 AS is_all, usage_ratio AS value, ci95_usage_ratio AS ci95 FROM resources r
WHERE (SELECT max(usage_ratio) FROM resources t WHERE t.scenario = r.scenario AND t.resource = r.resource) >= 0.005 ORDER BY r.rowid;
-- @each bar_about
SELECT DISTINCT scenario, (SELECT CASE count(DISTINCT name) WHEN 1 THEN 'Usage of ' || max(name) ELSE 'Usage' END FROM bar) AS what, 'percent' AS kind, '' AS unit, scenario AS title, 1 AS bound FROM bar;
-- @include bars
