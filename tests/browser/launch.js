'use strict';
/* Debian's chromium with a profile of its own that asks nothing of a network. */
const fs = require('fs'), os = require('os'), path = require('path');
const { chromium } = require('playwright-core');

const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/* `use(context)` once for each setting; what it leaves behind is removed. */
async function withBrowser(options, use) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'smsched-browser-'));
  const context = await chromium.launchPersistentContext(profile, { executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, args, acceptDownloads: true, ...options });
  try {
    return await use(context);
  } finally {
    await context.close();
    fs.rmSync(profile, { recursive: true, force: true });
  }
}

module.exports = { withBrowser };
