'use strict';
/* Debian's chromium with a profile of its own that asks nothing of a network. */
const { chromium } = require('playwright-core');

const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/* `use(context)` once for each setting, with `context.browser()` for more; what it leaves behind is removed. */
async function withBrowser(options, use) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, args });
  try {
    return await use(await browser.newContext(options));
  } finally {
    await browser.close();
  }
}

module.exports = { withBrowser };
