'use strict';
/* A picture of a page's first screen, for docs/figures. Usage: node screenshot.js PAGE.html PICTURE.png */
const path = require('path');
const { withBrowser } = require('./launch');

withBrowser({ viewport: { width: 900, height: 842 }, colorScheme: 'light' }, async context => {
  const page = await context.newPage();
  await page.goto('file://' + path.resolve(process.argv[2]));
  await page.waitForTimeout(500);
  await page.screenshot({ path: process.argv[3] });
});
