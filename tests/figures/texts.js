'use strict';
/* Prints what is wrong with the texts of SVG figures: those that leave the frame, and pairs that overlap. Boxes are measured by the browser, and
 * shrunk by a tenth of the height of the letters at each side, since they include room for accents and descenders.
 * usage: node texts.js FIGURE.svg... */
const fs = require('fs'), path = require('path');
const { withBrowser } = require('../browser/launch.js');

function measure() {
  const frame = document.querySelector('svg').getBoundingClientRect();
  const texts = [...document.querySelectorAll('text')].filter(text => text.textContent.trim()).map(text => {
    const box = text.getBoundingClientRect(), size = parseFloat(getComputedStyle(text).fontSize) || Math.min(box.width, box.height), inset = 0.1 * Math.min(size, box.height, box.width);
    return { text: text.textContent.replace(/\s+/g, ' ').trim(), left: box.left + inset, right: box.right - inset, top: box.top + 1.5 * inset, bottom: box.bottom - 1.5 * inset };
  });
  const wrong = [];
  texts.forEach((a, i) => {
    if (a.left < frame.left || a.right > frame.right || a.top < frame.top || a.bottom > frame.bottom) wrong.push(`'${a.text}' leaves the frame`);
    for (const b of texts.slice(i + 1)) if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) wrong.push(`'${a.text}' overlaps '${b.text}'`);
  });
  return { wrong, texts: texts.length };
}

(async () => {
  let failed = false;
  await withBrowser({}, async context => {
    const page = await context.newPage();
    for (const file of process.argv.slice(2)) {
      await page.goto('file://' + path.resolve(file));
      const { wrong, texts } = await page.evaluate(measure);
      if (!texts) wrong.push('has no text');
      for (const one of wrong.slice(0, 20)) console.log(`${file}: ${one}`);
      failed = failed || wrong.length > 0;
    }
  });
  process.exit(failed ? 1 : 0);
})();
