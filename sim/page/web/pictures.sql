-- Pictures of a run, from the tables of tables.sql. A query that returns two columns adds to the page's data: a key and its JSON, or
-- 'note' and a text about what was left out, or 'error' and why no page can be made.

-- ---- timelines: what was on a row, and when ----

-- kind 0: states of processes; 1: blocks on SMs of the first device; 2: pods on GPUs, and pods that wait. Rows are in the order of
-- major, minor and sub, which puts n2 before n10. `at` is the line in the file.
CREATE TABLE span (kind INT, scenario TEXT, policy TEXT, row TEXT, major TEXT, minor INT, sub INT, color TEXT, start REAL, stop REAL, count INT, name TEXT, at INT);
INSERT INTO span SELECT 0, scenario, policy, process, '', 0, 0, state, start_ns, end_ns, 1, NULL, rowid FROM spans;
INSERT INTO span SELECT 1, scenario, policy, 'SM ' || sm, '', sm, 0, vm, start_ns, end_ns, blocks, NULL, rowid FROM timeline WHERE device = '0';
INSERT INTO span SELECT 2, scenario, policy, 'waiting', '', -1, 0, 'waiting', time_ns - wait_ns, time_ns, 1, pod, rowid FROM placements
    WHERE wait_ns > 0 AND wait_ns <= time_ns;
INSERT INTO span SELECT 2, scenario, policy, node || '/' || gpu.value, rtrim(node, '0123456789'),
    CAST(substr(node, length(rtrim(node, '0123456789')) + 1) AS INT), gpu.value, ended, time_ns, end_ns, 1, pod, placements.rowid
    FROM placements, json_each('[' || replace(substr(gpus, 1, instr(gpus || ':', ':') - 1), ' ', ',') || ']') gpu;

CREATE TABLE line (kind INT, scenario TEXT, row TEXT, i INT, PRIMARY KEY (kind, scenario, row)) WITHOUT ROWID;
INSERT INTO line SELECT kind, scenario, row, row_number() OVER (PARTITION BY kind, scenario ORDER BY major, minor, sub, min(at)) - 1
    FROM span GROUP BY kind, scenario, row;
CREATE TABLE tint (kind INT, scenario TEXT, color TEXT, i INT, PRIMARY KEY (kind, scenario, color)) WITHOUT ROWID;
INSERT INTO tint SELECT kind, scenario, color, row_number() OVER (PARTITION BY kind, scenario ORDER BY min(at), color) - 1
    FROM span GROUP BY kind, scenario, color;

-- A panel is one policy. Beyond `most` pieces, those that start before `cut` are exact, and later ones become shares of `bins` intervals.
CREATE TABLE panel (i INTEGER PRIMARY KEY, kind INT, scenario TEXT, policy TEXT, n INT, dropped INT, known REAL, stop REAL, most INT, cut REAL, bins INT, width REAL);
INSERT INTO panel (kind, scenario, policy, n, dropped, known, stop) SELECT kind, scenario, policy, count(*), total(line.i >= 400),
    iif(kind = 1, max(max(stop) - max(stop - start), max(stop) / 4), NULL), max(iif(line.i < 400, stop, NULL))
    FROM span JOIN line USING (kind, scenario, row) GROUP BY kind, scenario, policy ORDER BY kind, min(at);
SELECT 'note', 'Only the first 60 timelines are shown.' FROM panel WHERE i = 61;
DELETE FROM panel WHERE i > 60;
UPDATE panel SET most = 30000 / (SELECT count(*) FROM panel);

CREATE TABLE piece (panel INT, rank INT, start REAL, line INT, stop REAL, tint INT, count INT, name TEXT);
INSERT INTO piece SELECT panel.i, row_number() OVER (PARTITION BY panel.i ORDER BY start, line.i, span.stop, tint.i, name), start, line.i, span.stop, tint.i, count, name FROM span JOIN panel USING (kind, scenario, policy)
    JOIN line USING (kind, scenario, row) JOIN tint USING (kind, scenario, color) WHERE line.i < 400;
DROP TABLE span;
CREATE INDEX pieces ON piece (panel, rank);
UPDATE panel SET cut = (SELECT start FROM piece WHERE panel = panel.i AND rank = most / 2 + 1) WHERE n - dropped > most;
UPDATE panel SET bins = max(1, min(600, most / 2 / (SELECT count(DISTINCT line * 1000 + tint) FROM piece WHERE panel = panel.i))) WHERE cut IS NOT NULL;
UPDATE panel SET width = max((stop - cut) / bins, 1e-3) WHERE cut IS NOT NULL;

CREATE TABLE number (b INTEGER PRIMARY KEY);
INSERT INTO number WITH RECURSIVE n(b) AS (SELECT 0 UNION ALL SELECT b + 1 FROM n WHERE b < 19999) SELECT b FROM n;
CREATE TABLE shown (panel INT, line INT, tint INT, start REAL, stop REAL, count REAL, name TEXT);
INSERT INTO shown SELECT panel, line, tint, start, iif(cut IS NULL, piece.stop, min(piece.stop, cut)), count, name
    FROM panel JOIN piece ON piece.panel = panel.i WHERE cut IS NULL OR start < cut ORDER BY panel, rank;
INSERT INTO shown SELECT panel, line, tint, cut + b * width, cut + (b + 1) * width,
    sum(count * (min(piece.stop, cut + (b + 1) * width) - max(start, cut + b * width))) / width AS share, NULL
    FROM panel JOIN piece ON piece.panel = panel.i JOIN number
    ON b BETWEEN CAST((max(start, cut) - cut) / width AS INT) AND min(bins - 1, CAST((piece.stop - cut) / width AS INT))
    WHERE cut IS NOT NULL AND piece.stop > cut GROUP BY panel, line, tint, b HAVING share > 0.0005 ORDER BY panel, b, line, tint;

SELECT 'timelines', json_group_array(json(chart)) FROM (
    SELECT json_object('kind', CASE kind WHEN 0 THEN 'processes' WHEN 1 THEN 'blocks' ELSE 'pods' END, 'scenario', scenario,
        'rows', json((SELECT json_group_array(row) FROM (SELECT row FROM line WHERE line.kind = chart.kind AND line.scenario = chart.scenario AND i < 400 ORDER BY i))),
        'colors', json((SELECT json_group_array(color) FROM (SELECT color FROM tint WHERE tint.kind = chart.kind AND tint.scenario = chart.scenario ORDER BY i))),
        'panels', json((SELECT json_group_array(json(panel)) FROM (
            SELECT json_object('policy', policy, 'all', n, 'dropped', CAST(dropped AS INT), 'known_ns', known, 'exact_ns', cut, 'bin_ns', width,
                'pieces', json((SELECT '[' || group_concat(line || ',' || tint || ',' || round(start, 3) || ',' || round(stop, 3) || ',' || round(count, 3)) || ']'
                    FROM shown WHERE shown.panel = panel.i)),
                'names', json(CASE WHEN (SELECT total(length(CAST(name AS BLOB)) + 3) FROM shown WHERE shown.panel = panel.i) > 400000 * most / 30000 THEN '[]'
                    ELSE (SELECT json_group_array(name) FROM shown WHERE shown.panel = panel.i AND name IS NOT NULL) END)) AS panel
            FROM panel WHERE panel.kind = chart.kind AND panel.scenario = chart.scenario AND n > dropped ORDER BY i)))) AS chart
    FROM (SELECT kind, scenario, min(i) AS first FROM panel WHERE n > dropped GROUP BY kind, scenario ORDER BY first) AS chart);

-- ---- what launches waited for: each launch, or if there are more than 8000 rows, those of equal intervals together ----

CREATE TABLE wait AS SELECT scenario, policy, vm, kernel, reason, launch_ns AS start, end_ns AS stop, waited_ns AS waited, sms FROM waits
    WHERE device = '0' OR scenario IN (SELECT scenario FROM spans);
CREATE TABLE wide AS SELECT CASE WHEN (SELECT count(*) FROM wait) > 8000 THEN (SELECT max(stop) FROM wait) / max(1, min(500, 8000 / count(*))) END AS ns
    FROM (SELECT DISTINCT scenario, policy, vm, kernel, reason FROM wait);
CREATE TABLE waited AS SELECT scenario, policy, vm, kernel, reason, min(start) AS start, max(stop) AS stop, sum(waited) AS waited, max(sms) AS sms, count(*) AS launches
    FROM wait JOIN wide GROUP BY scenario, policy, vm, kernel, reason, iif(ns > 0, CAST(start / ns AS INT), start)
    ORDER BY waited DESC, scenario, policy, vm, kernel, start, reason LIMIT 8000;
CREATE TABLE reason AS SELECT DISTINCT reason FROM waited ORDER BY reason;
SELECT 'waits', json_object('reasons', json((SELECT json_group_array(reason) FROM (SELECT reason FROM reason ORDER BY rowid))), 'of', json(json_group_array(json(one)))) FROM (
    SELECT json_object('scenario', scenario, 'policy', policy, 'vm', vm, 'kernel', kernel,
        'values', json('[' || group_concat(number || ',' || round(start, 3) || ',' || round(stop, 3) || ',' || round(waited, 3) || ',' || sms || ',' || launches) || ']')) AS one
    FROM (SELECT waited.*, reason.rowid - 1 AS number FROM waited JOIN reason USING (reason) ORDER BY scenario, policy, vm, kernel, start, reason)
    GROUP BY scenario, policy, vm, kernel);

-- ---- occupancy of the first device: means of `sms` SMs and `wide` intervals, so that all maps have 160000 cells or fewer ----

CREATE TABLE map (i INTEGER PRIMARY KEY, scenario TEXT, policy TEXT, width REAL, sms INT, bins INT);
INSERT INTO map (scenario, policy, width, sms, bins) SELECT scenario, policy, max(width_ns), max(sm) + 1, CAST(max(round(max(time_ns) / max(width_ns))) OVER (PARTITION BY scenario) AS INT) + 1
    FROM heatmap WHERE device = '0' GROUP BY scenario, policy ORDER BY min(rowid);
SELECT 'error', 'heatmap.csv: an SM, a time or a width is out of range' FROM map WHERE bins > 4096 LIMIT 1;
SELECT 'note', 'Only the first 60 heat maps are shown.' FROM map WHERE i = 61;
DELETE FROM map WHERE i > 60;
-- A run writes a row for each cell. This keeps a few rows with large indices from taking much memory.
SELECT 'error', 'heatmap.csv: it has too few rows for its SMs and intervals' WHERE (SELECT total(sms * bins) FROM map) / 16 > (SELECT count(*) + 65536 FROM heatmap);
CREATE TABLE coarse AS SELECT min(1 << b, 4) AS wide, 1 << max(b - 2, 0) AS tall FROM number WHERE b < 30
    AND (SELECT total(((sms - 1) / (1 << max(b - 2, 0)) + 1) * ((bins - 1) / min(1 << b, 4) + 1)) FROM map) <= 160000 ORDER BY b LIMIT 1;
SELECT 'note', format('Each cell of a heat map is the mean of %d intervals and %d SMs of heatmap.csv.', wide, tall) FROM coarse WHERE wide > 1;
CREATE TABLE cell (map INT, r INT, c INT, value INT, PRIMARY KEY (map, r, c)) WITHOUT ROWID;
INSERT INTO cell SELECT map.i, sm / tall, CAST(round(time_ns / width) AS INT) / wide AS c, CAST(round(avg(occupancy_ratio) * 10000) AS INT)
    FROM heatmap JOIN map USING (scenario, policy) JOIN coarse WHERE device = '0' GROUP BY map.i, sm / tall, c;
SELECT 'heat', json_group_array(json(one)) FROM (
    SELECT json_object('scenario', scenario, 'policy', policy, 'width_ns', width * wide, 'sms', tall, 'rows', json((
        SELECT json_group_array(json(row)) FROM (SELECT json_group_array(value) AS row FROM (
            SELECT r.b AS r, c.b AS c, value FROM number r JOIN number c LEFT JOIN cell ON cell.map = map.i AND cell.r = r.b AND cell.c = c.b
            WHERE r.b <= (sms - 1) / tall AND c.b <= (bins - 1) / wide ORDER BY r.b, c.b) GROUP BY r ORDER BY r)))) AS one
    FROM map JOIN coarse ORDER BY i);

-- ---- series of clusters, of about 1000 lines each ----

CREATE VIEW serie AS SELECT 'allocation' AS kind, rowid AS at, scenario, policy, arrived_ratio AS x, allocated_ratio AS y, fragment_ratio AS z FROM allocation
    UNION ALL SELECT 'placements', rowid, scenario, policy, time_ns, wait_ns, allocated_ratio FROM placements;
CREATE TABLE thinned AS SELECT * FROM (SELECT *, row_number() OVER same - 1 AS i, count(*) OVER (PARTITION BY kind, scenario, policy) AS n FROM serie
    WINDOW same AS (PARTITION BY kind, scenario, policy ORDER BY at)) WHERE i % ((n + 999) / 1000) = 0 OR i = n - 1;
SELECT 'note', 'Not all rows of ' || kind || '.csv are drawn, but about 1000 for each policy, evenly spaced.' FROM thinned WHERE n > 1000 GROUP BY kind;
SELECT kind.column1, (SELECT json_group_array(json(one)) FROM (
    SELECT json_object('scenario', scenario, 'policy', policy, 'values', json('[' || group_concat(x || ',' || y || ',' || z) || ']')) AS one
    FROM (SELECT * FROM thinned ORDER BY scenario, policy, at) WHERE kind = kind.column1 GROUP BY scenario, policy ORDER BY min(at) LIMIT 60)) FROM (VALUES ('allocation'), ('placements')) AS kind;
