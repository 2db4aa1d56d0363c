-- Throughput of each tenant; of the whole host only if there are several that all run the same kernels, as others cannot be added up.
-- @needs vms hosts
-- @figures throughput
SELECT 'throughput' AS name, '' AS title WHERE NOT (SELECT yes FROM is_pairs) AND (EXISTS (SELECT 1 FROM hosts));
-- @each crowd
SELECT scenario, count(DISTINCT vm) > 12 AS many, count(DISTINCT vm) > 1 AS several, ifnull((SELECT alike FROM asked a WHERE a.scenario = v.scenario), 1) AS alike FROM vms v GROUP BY scenario;
-- @each bar
SELECT scenario, policy, name, is_all, value, ci95 FROM (
    SELECT 0 AS is_all, v.rowid AS number, v.scenario, policy, vm AS name, kernels_per_s AS value, ci95_kernels_per_s AS ci95 FROM vms v JOIN crowd USING (scenario) WHERE NOT many
    UNION ALL SELECT 1, h.rowid, h.scenario, policy, 'all', kernels_per_s, ci95_kernels_per_s FROM hosts h JOIN crowd USING (scenario) WHERE alike AND several OR many) ORDER BY is_all, number;
-- @each bar_about
SELECT DISTINCT scenario, (SELECT CASE count(DISTINCT name) WHEN 1 THEN 'Throughput of ' || max(name) ELSE 'Throughput' END FROM bar) AS what, 'rate' AS kind, 'kernels' AS unit, scenario AS title, NULL AS bound FROM bar;
-- @include bars
