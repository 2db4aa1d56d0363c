-- The MIG instances that pods have over time: a row for each GPU, as high as its slices, a colour for each profile.
-- @needs placements
-- @table instance
SELECT p.rowid AS number, scenario, policy, node, CAST(gpus AS INT) AS gpu, time_ns, end_ns, substr(gpus, instr(gpus, ':') + 1, instr(gpus, '@') - instr(gpus, ':') - 1) AS profile,
    CAST(substr(gpus, instr(gpus, '@') + 1) AS INT) AS low, CAST(substr(gpus, -1) AS INT) + 1 AS high FROM placements p WHERE gpus GLOB '*:*@*';
-- @check placements.csv: an instance ends before it begins
SELECT number + 1 FROM instance WHERE high <= low LIMIT 1;
-- @table instance_row
SELECT scenario, node, gpu, row_number() OVER (PARTITION BY scenario ORDER BY node COLLATE natural_order, gpu) AS row FROM (SELECT DISTINCT scenario, node, gpu FROM instance);
-- @figures instances-
SELECT 'instances-' || scenario AS name, scenario, CASE WHEN (SELECT count(DISTINCT scenario) FROM instance) > 1 THEN scenario || ': i' ELSE 'I' END || 'nstances that pods have, on the slices of GPUs' ||
    CASE WHEN max(row) > 40 THEN printf(' (first 40 of %d)', max(row)) ELSE '' END AS title FROM instance_row GROUP BY scenario ORDER BY (SELECT min(number) FROM instance i WHERE i.scenario = instance_row.scenario);
-- @each panel
SELECT policy, row_number() OVER (ORDER BY min(number)) AS panel FROM instance WHERE scenario = (SELECT scenario FROM figure) GROUP BY policy;
-- A profile has one colour in all figures of a folder; the largest is the first.
-- @each profile
SELECT profile, n AS place, (SELECT rgb FROM tenant_colour c WHERE c.place = n % 16) AS rgb, n / 16 % 3 AS stripes FROM (SELECT profile, row_number() OVER (ORDER BY max(high - low) DESC, profile) - 1 AS n FROM instance GROUP BY profile);
-- @each span
SELECT panel, row, time_ns AS start_ns, end_ns, profile AS state, rgb, stripes, place, low AS lane, high - low AS tall, (SELECT max(high) FROM instance WHERE scenario = (SELECT scenario FROM figure)) AS lanes, policy, node || '/' || gpu AS row_name
FROM instance i JOIN panel USING (policy) JOIN instance_row USING (scenario, node, gpu) JOIN profile USING (profile) WHERE scenario = (SELECT scenario FROM figure) AND row <= 40;
-- @include spans
