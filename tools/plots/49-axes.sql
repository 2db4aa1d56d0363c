-- What a sweep says of its varied fields and of deadlines; folders of runs say nothing.
-- @table field
SELECT NULL AS path, NULL AS words, 0 AS log WHERE 0;
-- @table aim
SELECT NULL AS scenario, NULL AS name, NULL AS deadline_ns WHERE 0;
-- @needs axis deadline
-- @table field
SELECT path, words, log FROM axis;
-- @table aim
SELECT scenario, name, min(deadline_ns) AS deadline_ns FROM deadline GROUP BY scenario, name;
