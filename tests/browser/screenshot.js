'use strict';
/* Pictures of a page. Usage: node screenshot.js PAGE.html PICTURE.png [WIDTH [light|dark [full]]]; without `full`, the first screen, as docs/figures has it. */
const path = require('path');
const { withBrowser } = require('./launch');

const [from, to, width = '900', colorScheme = 'light', full] = process.argv.slice(2);
withBrowser({ viewport: { width: Number(width), height: 842 }, colorScheme }, async context => {
  const page = await context.newPage();
  await page.goto('file://' + path.resolve(from));
  await page.waitForTimeout(500);
  await page.screenshot({ path: to, fullPage: full === 'full' });
});
