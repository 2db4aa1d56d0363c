-- Scenarios called A/B that are most pairs of three or more programs. Their one figure replaces the others.
-- @table is_pairs
SELECT 0 AS yes;

-- @needs hosts
-- @table pair
SELECT rowid AS number, scenario, substr(scenario, 1, instr(scenario, '/') - 1) AS a, substr(scenario, instr(scenario, '/') + 1) AS b, policy,
    stp_ratio AS value FROM hosts WHERE scenario GLOB '?*/?*' AND NOT scenario GLOB '*/*/*';

-- @table program
SELECT name, row_number() OVER (ORDER BY min(number)) AS place FROM (SELECT a AS name, number FROM pair UNION ALL SELECT b, number + 0.5 FROM pair) GROUP BY name;

-- @table is_pairs
SELECT n >= 3 AND pairs >= n * (n - 1) / 2 AND pairs = all_scenarios AS yes FROM (SELECT (SELECT count(*) FROM program) AS n,
    (SELECT count(DISTINCT scenario) FROM pair) AS pairs, (SELECT count(DISTINCT scenario) FROM hosts) AS all_scenarios);

-- @table pair_policy
SELECT policy, row_number() OVER (ORDER BY min(number)) AS panel, min(number) AS number FROM pair GROUP BY policy;

-- Throughput under the first policy, and the change over it under each other one.
-- @table pair_value
SELECT p.panel, x.place AS x, y.place AS y, CASE p.panel WHEN 1 THEN pair.value ELSE 100 * (pair.value / first.value - 1) END AS value, pair.policy, x.name AS a, y.name AS b
FROM pair JOIN pair_policy p USING (policy) JOIN pair first ON first.scenario = pair.scenario AND first.policy = (SELECT policy FROM pair_policy WHERE panel = 1)
JOIN program x ON x.name = pair.a JOIN program y ON y.name = pair.b;

-- @figures
SELECT 'pairs' AS name FROM is_pairs WHERE yes;

-- @draw cells
-- @set
SELECT 0.5 AS left, (SELECT count(*) + 0.5 FROM program) AS right, (SELECT count(*) + 0.5 FROM program) AS low, 0.5 AS high,
    1 AS ratio, 0 AS as_image, 0 AS stacked, '' AS xlabel, '' AS ylabel, 'Throughput of both (STP) under ' || (SELECT policy FROM pair_policy WHERE panel = 1) AS value_label,
    (SELECT floor(min(value) * 10) / 10 FROM pair_value WHERE panel = 1) AS value_low, (SELECT max(ceil(max(value) * 10) / 10, floor(min(value) * 10) / 10 + 0.1) FROM pair_value WHERE panel = 1) AS value_high,
    'Change over it (%)' AS gain_label,
    -- Nineteen of twenty changes are within the scale. Few large ones would bleach the others.
    max(5, ceil(ifnull((SELECT abs(value) FROM pair_value WHERE panel > 1 AND value IS NOT NULL ORDER BY abs(value) LIMIT 1
        OFFSET (SELECT count(value) * 19 / 20 FROM pair_value WHERE panel > 1)), 0) / 5) * 5) AS gain;
-- @array panel
SELECT wrap(policy, CASE WHEN (SELECT count(*) FROM pair_policy) > 6 THEN 17 ELSE 24 END) AS title, panel > 1 AS is_gain FROM pair_policy ORDER BY panel;
-- @array xname
SELECT name AS label, place AS at FROM program ORDER BY place;
-- @array yname
SELECT name AS label, place AS at FROM program ORDER BY place;
-- @data
SELECT panel, x, y, 1 AS width, 1 AS height, value, policy, a, b FROM pair_value UNION ALL
SELECT panel, y, x, 1, 1, value, policy, b, a FROM pair_value WHERE x <> y ORDER BY panel, x, y;
