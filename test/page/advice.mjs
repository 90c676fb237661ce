// advice.mjs - the view of advice and what other views take of it: sentences and figures are those of `gpumemprof advise`, the slider makes one change
// after another, blocks are shaded by what is known of their uses, and a page without uses says how to record them.
import assert from 'node:assert/strict';
import {bytesText, go, linkOf, settled, until} from './driver.mjs';

const plain = text => text.replace(/\u202f/g, '');
/** Where the tool ran it says the files as seen from there; the page says their names alone. */
const sentenceOf = (finding, source) => finding.reason.replaceAll(/\S*advised\.cu:/g, `${source.replace(/^.*\//, '')}:`);

async function opened(open, file, link = '#/advice?device=all', how = {}) {
  const page = await open(file, {link, ...how});
  await page.waitForSelector('.advice-curve');
  return page;
}

const cardsOf = page => page.$$eval('.advice-card', all => all.map(card => ({head: card.querySelector('h3').textContent, size: card.querySelector('.large').textContent,
  text: card.textContent, steps: [...card.querySelectorAll('.advice-steps li')].map(step => step.textContent), isChosen: card.classList.contains('chosen')})));

/** The spans of the row of a block: kind, left and width in percent. */
const spansOf = (page, name) => page.$$eval('.advice-rows li', (rows, wanted) => [...rows.find(row => row.querySelector('.name').textContent.startsWith(wanted)).querySelectorAll('.span')]
  .map(span => ({kind: span.className.replace('span ', ''), left: parseFloat(span.style.left), width: parseFloat(span.style.width), title: span.title})), name);

const pathOf = (page, name) => page.$eval(`.advice-curve .${name}`, path => path.getAttribute('d'));

export async function cards_are_the_findings_of_the_command({open, data}) {
  const {page: file, answer, source} = data.advised, page = await opened(open, file), cards = await cardsOf(page);
  assert.deepEqual(answer.findings.map(({rule}) => rule), ['late-free', 'late-free', 'never-freed'], 'the run has what the tests are about');
  assert.deepEqual(cards.map(({size}) => size), answer.findings.map(({saving}) => bytesText(saving)));
  answer.findings.forEach((finding, i) => {
    const several = finding.steps.length > 1, sentence = sentenceOf(finding, source);
    assert.equal(cards[i].head, several ? `Make ${finding.steps.length} changes together` : sentence);
    assert.ok(plain(cards[i].text).includes(`peak ${bytesText(finding.peak_before)} → ${bytesText(finding.peak_after)} (${(100 * finding.saving / finding.peak_before).toFixed(2)}%)`), cards[i].text);
    assert.ok(cards[i].text.startsWith(`Finding ${i + 1}`), cards[i].text);
    assert.ok(cards[i].text.includes(`), ${finding.rule}`), 'also of several changes, the rules are named');
    assert.equal(cards[i].steps.length, several ? finding.steps.length : 0);
    if (several) assert.equal(cards[i].steps.map(step => step.replace(/the peak is then .*$/, '')).join('; '), sentence);
  });
  const text = await page.innerText('main');
  for (const device of answer.ideal_peak) {
    const {peak_before: peak} = answer.findings.find(one => one.device === device.device), lowest = Math.min(...answer.findings.filter(one => one.device === device.device).map(one => one.peak_after));
    assert.ok(text.includes(`The peak of GPU ${device.device}, ${bytesText(peak)}, can be ${bytesText(lowest)}: ${bytesText(peak - lowest)} less.`), text);
    assert.ok(plain(text).includes(`${bytesText(peak - device.bytes)} of it (${(100 * (peak - device.bytes) / peak).toFixed(2)}%) are waste: memory before its first use`), text);
  }
  for (const {blocks, bytes, reason} of answer.not_judged) {
    assert.ok(text.includes(`${blocks} block of GPU 0, ${bytesText(bytes)}: ${sentenceOf({reason}, source)}`), `${reason} in ${text}`);
  }
  page.checkQuiet();
}

export async function the_slider_makes_one_change_after_another({open, data}) {
  const page = await opened(open, data.advised.page, '#/advice?device=2'), said = () => page.innerText('.advice-step output'), before = await pathOf(page, 'before');
  assert.equal(await said(), '2 of 2, peak 4.00 MiB');
  assert.notEqual(await pathOf(page, 'after'), before);
  await page.focus('#advice-made');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await said(), '1 of 2, peak 8.00 MiB');
  const one = await pathOf(page, 'after');
  assert.notEqual(one, before);
  assert.equal((await page.$$('.advice-bar .span.removed')).length, 1);
  await until(page, () => location.hash.includes('step=1'), null, 'the address says how many are made');
  const linked = await opened(open, data.advised.page, linkOf(page));
  assert.equal(await linked.innerText('.advice-step output'), '1 of 2, peak 8.00 MiB');
  assert.equal(await pathOf(linked, 'after'), one);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await said(), '0 of 2, peak 8.00 MiB');
  assert.equal(await page.$('.advice-curve .after'), null);
  assert.equal(await pathOf(page, 'before'), before, 'the curve of the run stays');
  assert.equal((await page.$$('.advice-bar .span.removed')).length, 0);
  await page.keyboard.press('End');
  assert.equal(await said(), '2 of 2, peak 4.00 MiB');
  assert.equal((await page.$$('.advice-bar .span.removed')).length, 2);
  page.checkQuiet();
}

/** The tops of the curve, and of what is left of it, are the peaks before and after. */
export async function the_curve_is_as_high_as_the_peak({open, data}) {
  const page = await opened(open, data.advised.page, '#/advice?device=0'), {peak_before: before, peak_after: after} = data.advised.answer.findings[0];
  const top = path => Math.min(...[...path.matchAll(/[ML]\d+ ([\d.]+)/g)].map(([, y]) => Number(y)));
  const [of, made] = [top(await pathOf(page, 'before')), top(await pathOf(page, 'after'))];
  assert.ok(Math.abs((100 - made) / (100 - of) - after / before) < 1e-4, `${made} and ${of}`);
  assert.match(await page.getAttribute('.advice-curve', 'aria-label'), /at most 29\.00 MiB in this run, 21\.00 MiB with the changes/);
}

export async function blocks_are_shaded_by_what_is_known_of_their_uses({open, data}) {
  const page = await opened(open, data.advised.page, '#/advice?device=0&step=0'), kinds = async name => (await spansOf(page, name)).map(({kind}) => kind);
  assert.deepEqual(await kinds('weights'), ['waiting', 'used', 'kept']);
  assert.deepEqual(await kinds('early'), ['waiting', 'maybe', 'used'], 'its address may have been stored before it was used');
  assert.deepEqual(await kinds('shared'), ['unjudged']);
  assert.deepEqual(await kinds('list'), ['waiting', 'used', 'kept']);
  for (const name of ['weights', 'early', 'shared']) { // one after the other, without gaps
    const spans = await spansOf(page, name);
    spans.slice(1).forEach((span, i) => assert.ok(Math.abs(spans[i].left + spans[i].width - span.left) < 1e-3, JSON.stringify(spans)));
  }
  const [waiting, , kept] = await spansOf(page, 'weights');
  assert.match(waiting.title, /^weights, 8\.00 MiB, allocated at advised\.cu:3: waits for its first use during \d+ allocations? or operations?; first use: advised\.cu:4 main, copied$/);
  assert.match(kept.title, /kept after its last use during \d+ allocations or operations; last use: advised\.cu:5 main, step$/);
  assert.match((await spansOf(page, 'shared'))[0].title, /not judged during .*: the host can use managed memory/);
  await page.focus('#advice-made');
  await page.keyboard.press('End');
  const made = await spansOf(page, 'weights'), removed = made.find(({kind}) => kind === 'removed');
  assert.deepEqual([removed.left, removed.width], [kept.left, kept.width], 'what is kept too long is not there after the change');
  assert.deepEqual(await page.$$eval('.advice-legend li', all => all.map(one => one.textContent)),
    ['waits for its first use', 'in use', 'kept after its last use', 'may be in use', 'not judged', 'not there after the changes']);
}

/** The lanes of a strip: first page, number of pages and opacity of each of its parts. */
const laneOf = (strip, kind) => strip.$$eval(`.strip-${kind}`, all => all.map(one => [Number(one.getAttribute('x')), Number(one.getAttribute('width')), Number(one.getAttribute('fill-opacity'))]));

export async function strips_are_the_pages_of_the_command({open, data}) {
  const page = await opened(open, data.advised.page, '#/advice?device=0'), {pages} = data.advised, strips = await page.$$('.strip');
  const blocks = [...pages].sort((a, b) => b.bytes - a.bytes);
  assert.deepEqual(blocks.map(({variable}) => variable), ['scratch', 'weights', 'early'], 'the run has what the test is about');
  assert.equal(strips.length, blocks.length);
  for (const [i, block] of blocks.entries()) {
    const kinds = {read: ({read}) => read, written: ({written}) => written, last: ({last_use: last}) => last !== null};
    for (const [kind, has] of Object.entries(kinds)) {
      const covered = (await laneOf(strips[i], kind)).reduce((sum, [, width, opacity]) => sum + width * (kind === 'last' ? 1 : (opacity - 0.25) / 0.75), 0);
      const expected = block.runs.filter(has).reduce((sum, run) => sum + run.pages, 0), most = kind === 'last' ? block.pages / 100 : 1;
      assert.ok(Math.abs(covered - expected) < Math.max(most, block.pages / 100), `${block.variable}: ${covered} of ${expected} pages are ${kind}`);
    }
    const label = await strips[i].getAttribute('aria-label');
    assert.ok(label.startsWith(`${block.variable}, allocated at advised.cu:${block.line}: `), label);
    assert.match(label, block.judged ? /; its last page is used$/ : /; other code may have used it, too/);
    assert.equal(await strips[i].getAttribute('role'), 'img');
  }
  const [first] = await laneOf(strips[1], 'read');
  assert.deepEqual(first, [0, 512, 1], 'pages in one state are one part');
  await page.click('.strips li:nth-child(2) summary');
  assert.match(await page.innerText('.strips li:nth-child(2) .strip-pieces'), /pages 0 to 511: read and written, last at event 2[\s\S]*pages 512 to 1\u202f535: not used[\s\S]*pages 1\u202f536 to 2\u202f047: read, last at event 4/);
  await page.selectOption('header select', '1');
  await until(page, () => !document.querySelector('#advice-pages'), null, 'GPU 1 has no known pages');
  page.checkQuiet();
}

export async function findings_are_those_of_the_chosen_device({open, data}) {
  const page = await opened(open, data.advised.page, '#/advice?device=0');
  assert.equal((await cardsOf(page)).length, 1);
  assert.match(await page.innerText('#advice-picture'), /^GPU 0 /);
  await page.selectOption('header select', '1');
  await until(page, () => /^GPU 1 /.test(document.querySelector('#advice-picture')?.innerText), null, 'the picture is of GPU 1');
  assert.match((await cardsOf(page))[0].head, /free first, which is never freed/);
  assert.equal(await page.$('#not-judged'), null, 'which is of GPU 0');
  await page.selectOption('header select', 'all');
  await until(page, () => document.querySelectorAll('.advice-card').length === 3, null, 'all findings');
  page.checkQuiet();
}

export async function keys_lead_from_finding_to_finding({open, data}) {
  const page = await opened(open, data.advised.page), chosen = () => page.$$eval('.advice-card', all => all.findIndex(one => one.classList.contains('chosen')));
  assert.equal(await chosen(), 0);
  for (const [key, place] of [['n', 1], ['n', 2], ['n', 0], ['p', 2]]) {
    await page.keyboard.press(key);
    await until(page, wanted => [...document.querySelectorAll('.advice-card')].findIndex(one => one.classList.contains('chosen')) === wanted, place, `${key} leads to ${place}`);
  }
  await page.goBack();
  await until(page, () => document.querySelectorAll('.advice-card')[0].classList.contains('chosen'), null, 'back leads to the one before');
  await page.click('.advice-card:nth-child(2) h3 a');
  await until(page, () => document.querySelectorAll('.advice-card')[1].classList.contains('chosen'), null, 'a click chooses');
  await page.keyboard.press('?');
  assert.match(await page.innerText('dialog'), /In Advice[\s\S]*to the next, previous finding/);
  page.checkQuiet();
}

export async function the_source_has_the_sentence_at_the_line_to_change({open, data}) {
  const {page: file, source, answer} = data.advised, page = await open(file, {link: `#/source?device=all&file=${source}`});
  await page.waitForSelector('table.source .advised');
  const marks = await page.$$eval('table.source tbody tr', rows => rows.filter(row => row.querySelector('.advised')).map(row => [row.id, row.querySelector('.advised').textContent]));
  const steps = answer.findings.flatMap(finding => finding.steps.map(step => [step.from.line, finding]));
  assert.deepEqual(marks.map(([id]) => id).sort(), steps.map(([line]) => `L${line}`).sort());
  const [, text] = marks.find(([id]) => id === `L${answer.findings[0].steps[0].from.line}`);
  assert.equal(text, `← ${sentenceOf(answer.findings[0], source).replace(/^.*? main: /, '')}: saves 8.00 MiB of the peak`);
  assert.match(marks.find(([id]) => id === 'L30')[1], /: with 1 other change, saves 4\.00 MiB of the peak$/);
  await page.click('#L30 .advised');
  await page.waitForSelector('.view-advice .advice-card.chosen');
  assert.equal((await cardsOf(page)).find(({isChosen}) => isChosen).head, 'Make 2 changes together');
  await go(page, `#/source?device=1&file=${source}`);
  await until(page, () => document.querySelectorAll('.advised').length === 1, null, 'only of the chosen device');
}

export async function findings_of_the_overview_have_their_savings({open, data}) {
  const page = await open(data.advised.page, {link: '#/overview?device=all'});
  const found = await page.$$eval('.finding', all => all.map(one => ({severity: one.querySelector('.severity').innerText, figure: one.querySelector('.size').innerText, text: one.innerText,
    to: one.querySelector('.finding-text > p:first-child > a:last-child')?.getAttribute('href')})));
  const lower = found.filter(({severity}) => severity === 'Lower peak');
  assert.deepEqual(lower.map(({figure}) => figure), ['8.00 MiB', '4.00 MiB'], 'those of one line; two changes together save no more');
  assert.match(lower[0].text, /advised\.cu:13.main: Free weights after line 5 instead: step was its last use\./);
  assert.match(lower[0].text, /The peak of GPU 0 then falls from 29\.00 MiB to 21\.00 MiB\./);
  const leak = found.find(({severity}) => severity === 'Leak');
  assert.match(leak.text, /Freed after its last use, it lowers the peak of GPU 1 by 4\.00 MiB\./);
  await go(page, lower[1].to);
  await page.waitForSelector('.advice-card.chosen');
  assert.match((await cardsOf(page)).find(({isChosen}) => isChosen).head, /free first/);
  await go(page, '#/overview?device=2');
  await until(page, () => /Make 2 changes together/.test(document.querySelector('.finding')?.innerText), null, 'of one device, what saves most there');
}

export async function a_page_without_advice_says_why({open, data}) {
  for (const [file, words] of [[data.trainer.page, /does not say which operations used which memory.*Record it with GPUMEMPROF_OPTIONS=history=all:uses=on/s],
    [data.advised.only, /covers only device 0, and a peak is of all memory/], [data.advised.part, /covers (a part of the run|only from 1 to 5)/],
    [data.nothing, /Nothing was recorded/]]) {
    const page = await open(file, {link: '#/advice'});
    await settled(page);
    assert.match(await page.innerText('main'), words);
    page.checkQuiet();
  }
}

export async function names_stay_text_and_redaction_holds({open, data}) {
  const page = await opened(open, data.advised.hostile), {name} = data.hostile;
  assert.ok((await page.innerText('.advice-cards')).includes(name));
  assert.deepEqual(await page.evaluate(() => [document.querySelectorAll('main img, main script').length, window.hacked]), [0, undefined]);
  const redacted = await opened(open, data.advised.redacted);
  assert.match((await cardsOf(redacted))[0].head, /^advised\.cu:13 main: free weights after line 5 instead/);
  await go(redacted, '#/source?device=all');
  await redacted.waitForSelector('table.source .advised');
}

export async function paper_has_the_picture_without_the_slider({open, data}) {
  const page = await opened(open, data.advised.page, '#/advice?device=0', {theme: 'dark'});
  await page.emulateMedia({media: 'print'});
  assert.equal(await page.isVisible('#advice-made'), false);
  assert.ok(await page.isVisible('.advice-step output'));
  for (const part of ['.advice-curve svg', '.advice-card', '.span.used', '.span.removed']) assert.ok(await page.isVisible(part), part);
  assert.equal(await page.$eval('.advice-curve .after', path => getComputedStyle(path).stroke), 'rgb(0, 0, 0)');
}
