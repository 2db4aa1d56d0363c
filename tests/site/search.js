'use strict';
/* Searches the website from its files. Usage: node search.js FOLDER */
const assert = require('assert'), path = require('path');
const { withBrowser } = require('../browser/launch');

const folder = path.resolve(process.argv[2]);
withBrowser({}, async context => {
  const page = await context.newPage(), asked = [];
  page.on('request', request => asked.push(request.url()));
  await page.goto(`file://${folder}/docs/README.html`);
  await page.fill('input[name=q]', 'noisy neighbour');
  await page.press('input[name=q]', 'Enter');
  await page.waitForSelector('#search-results li a');
  const found = await page.$$eval('#search-results li a', links => links.map(link => link.getAttribute('href')));
  assert(found.some(href => href.startsWith('README.html')), `README is not among ${found}`);
  assert.deepStrictEqual(asked.filter(url => !/^(file|data):/.test(url)), []);
}).catch(error => { console.error(error.message); process.exit(1); });
