-- Which parameter that is not known moves the lead of the best policy: rank correlations over the draws, the greatest first.
-- @needs answers
-- @table doubt
SELECT json_extract(j.value, '$.scenario') AS scenario, json_extract(j.value, '$.unknowns.of') AS best, json_extract(j.value, '$.unknowns.over') AS rival, json_extract(j.value, '$.unknowns.draws') AS draws,
    json_extract(p.value, '$.parameter') AS parameter, json_extract(p.value, '$.rank_correlation') AS value, ifnull(json_extract(p.value, '$.p_holm'), 1) < 0.05 AS beyond
FROM answers, json_each(CASE json_type(text) WHEN 'array' THEN text ELSE json_array(json(text)) END) j, json_each(j.value, '$.unknowns.parameters') p
WHERE j.type = 'object' AND json_extract(j.value, '$.unknowns.over') IS NOT NULL AND json_type(p.value, '$.rank_correlation') IN ('real', 'integer');
-- @figures unknowns-
SELECT 'unknowns-' || scenario AS name, scenario, best, rival, draws, CASE WHEN (SELECT count(DISTINCT scenario) FROM doubt) > 1 THEN scenario || ': w' ELSE 'W' END || printf('hat moves the lead of %s over %s, in %d draws of what is not known', best, rival, draws) AS title
FROM doubt GROUP BY scenario ORDER BY min(rowid);
-- @each row
SELECT *, row_number() OVER (ORDER BY abs(value) DESC, number) AS place, CASE WHEN beyond THEN 0x0072B2 ELSE 0xBBBBBB END AS rgb FROM
    (SELECT rowid AS number, * FROM doubt WHERE scenario = (SELECT scenario FROM figure) ORDER BY abs(value) DESC LIMIT 20);
-- @draw bars
-- @set
SELECT 1 AS subs, 1 AS shared, 1 AS each_x, wrap(title, 54) AS title, 6 AS label_letters_of FROM figure;
-- @array panel
SELECT '' AS title, 'Rank correlation with the lead' AS xlabel, max(max(value), 0.05) AS top, min(min(value), 0) AS low, NULL AS bound, '' AS bound_name, 0 AS start,
    0 AS first, count(*) - 1 AS last FROM row;
-- @array row
SELECT 1 AS panel, wrap(parameter, 26) AS label FROM row ORDER BY place;
-- @array name
SELECT DISTINCT CASE WHEN beyond THEN 'beyond chance' ELSE 'may be chance' END AS label, rgb FROM row ORDER BY beyond DESC;
-- @data
SELECT 1 AS panel, place AS row, 0 AS sub, rgb, value, NULL AS ci95, printf('%+.2f', value) AS label, parameter, beyond FROM row ORDER BY place;
