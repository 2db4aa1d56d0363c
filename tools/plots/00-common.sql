-- Tables that several figures use.

-- The unit of a panel is the greatest that its largest value reaches.
-- @table unit
SELECT column1 AS kind, column2 AS name, column3 AS size FROM (VALUES
    ('time', 'ns', 1), ('time', 'µs', 1e3), ('time', 'ms', 1e6), ('time', 's', 1e9), ('time', 'h', 36e11),
    ('bytes', 'B', 1), ('bytes', 'KiB', 1024), ('bytes', 'MiB', 1048576), ('bytes', 'GiB', 1073741824), ('energy', 'J', 1), ('energy', 'kJ', 1e3),
    ('rate', '/s', 1), ('rate', '/ms', 1e3), ('rate', '/µs', 1e6), ('percent', '%', 0.01), ('change', '', 1),
    ('count', '', 1), ('count', 'thousands', 1e3), ('count', 'millions', 1e6), ('count', 'billions', 1e9));

-- @table num
WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 4096) SELECT n FROM n;

-- Yellow lines and names cannot be seen on white.
-- @table tenant_colour
SELECT rgb, CASE name WHEN '' THEN CASE rgb WHEN 0xF0E442 THEN 0 WHEN 0xF7F1A0 THEN 0x555555 ELSE rgb END END AS line_rgb, row_number() OVER (ORDER BY rowid) - 1 AS place FROM palette WHERE kind = 'tenant';
