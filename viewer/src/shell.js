/**
 * shell.js - everything around the views: the head, the navigation, keys, theme, the address.
 *
 * main.js starts it. It opens the view that the address names, and calls it when the state in the address changes. go() is the only way to navigate:
 *
 *   go(view, state)                   a new entry of the history; the view gets update(state), another one is opened
 *   go(view, state, {replace: true})  the view shows this already (panning, typing): only the address follows, a quarter of a
 *                                     second later at most, for browsers refuse hundreds of changes in a row
 *   go(view, state, {step: true})     the same for what Back is to undo (a zoom, a block that is kept): a new entry; what follows within a second, as of
 *                                     a wheel that turns on, belongs to it
 *
 * One device is chosen for all views: a link without `device` gets the one that was chosen last, at first the fullest, unless it names a block, whose
 * device the view finds out. A view says by `devices` what it makes of it: "any" (also of all), "one", or "none": it is of all, and the shell says so.
 * `ofDevice` names the keys of its links that mean something only on the device that they were made for.
 *
 * Views that take keys of their own listen on their root element, or add a function to `keys` of what open() returns:
 * keys: [{key: "+", text: "zoom in"}] is what the help (`?`) lists; a digit or `a` leads to a view, and no view takes these.
 */
import {ALL, fullest, hardwareText, isChoice, placesWithMemory, restrictedTo} from './device.js';
import {el} from './dom.js';
import {deviceKey, deviceTitle} from './model.js';
import {startMarks} from './line_colors.js';
import {linkTo, parseLink} from './route.js';
import {oneLine} from './rows.js';
import {showFailure} from './failure.js';
import {showKeys} from './keys.js';

const DELAY_MS = 250, STEP_MS = 1000;

const isTyping = target => target instanceof HTMLInputElement || target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement || target.isContentEditable;

/**
 * @param {Element} app
 * @param {import('./page.js').Page} page
 * @param {{name: string, title: string, key: string, open: Function}[]} views
 * @param {{choice: () => string, next: () => string}} theme
 */
export function startShell(app, page, views, theme) {
  const {capture, command, generator, only, program} = page.profile.page;
  startMarks(page);
  const main = el('main', {id: 'view', tabindex: '-1'});
  const announce = el('div', {class: 'unseen', role: 'status', 'aria-live': 'polite'});
  const themeButton = el('button', {type: 'button', class: 'theme', onclick() {
    theme.next();
    nameTheme();
  }});
  const nameTheme = () => {
    themeButton.textContent = {auto: '◐ auto', light: '☀ light', dark: '☾ dark'}[theme.choice()];
    themeButton.setAttribute('aria-label', `Theme: ${theme.choice()}. Switch to the next`);
  };
  nameTheme();
  const links = new Map(views.map(view => [view.name, el('a', {href: linkTo(view.name), 'aria-keyshortcuts': view.key},
    el('kbd', {'aria-hidden': 'true'}, view.key), view.title)]));
  const keysButton = el('button', {type: 'button', 'aria-keyshortcuts': '?', onclick: () => help()}, '? keys');
  const places = placesWithMemory(page);
  const deviceBox = el('select', {onchange: () => chooseDevice(deviceBox.value)},
    places.map(place => el('option', {value: deviceKey(page, place)}, deviceTitle(page, place))), el('option', {value: ALL}, 'all devices'));
  const hardware = el('p', {class: 'hardware quiet'}, hardwareText(page, -1));
  const deviceNote = el('p', {class: 'quiet device-note', hidden: true});
  app.replaceChildren(
    el('a', {class: 'skip', href: '#view', onclick(event) {
      event.preventDefault();
      main.focus();
    }}, 'Skip to the view'),
    el('header', {class: 'top'},
      el('div', {class: 'what'}, el('h1', {}, program ? oneLine(null, program, command) : 'gpumemprof', ' ', el('span', {class: 'quiet'}, capture),
        only ? el('span', {class: 'only'}, `only ${only}: everything else was left out when this page was made`) : null), hardware),
      el('div', {class: 'tools'}, places.length > 1 ? el('label', {}, 'Device ', deviceBox) : null, keysButton, themeButton)),
    el('nav', {'aria-label': 'Views'}, el('ul', {}, [...links.values()].map(link => el('li', {}, link)))),
    main, announce, el('footer', {class: 'quiet'}, `Written by ${generator}. This file makes no network requests.`));

  let current = null, opened = null, waiting = 0, pending = '', stepped = -Infinity, device = places.length > 1 ? deviceKey(page, fullest(page)) : '';

  const help = () => showKeys(views, current, opened && opened.keys || []);

  function close() {
    try {
      if (opened && opened.close) opened.close();
    } catch (error) {
      console.error(error);
    }
    opened = null;
  }

  function show() {
    clearTimeout(waiting); // the user has navigated to another view meanwhile
    pending = '';
    stepped = -Infinity;
    const {view: name, state} = parseLink(location.hash);
    const view = views.find(one => one.name === name) || views[0];
    withDevice(view, state);
    if (view === current && opened) {
      opened.update(state);
      return;
    }
    close();
    current = view;
    for (const [key, link] of links) {
      if (key === view.name) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    document.title = `${view.title} - ${capture} - gpumemprof`;
    announce.textContent = `View ${view.title}`;
    const root = el('section', {class: `view view-${view.name}`, 'aria-label': view.title});
    main.replaceChildren(deviceNote, root);
    scrollTo(0, 0);
    try {
      opened = view.open(root, page, state, go);
    } catch (error) {
      showFailure(root, error);
    }
  }

  /** Adds the device to the state of a link without one, and to the address. */
  function withDevice(view, state) {
    if (places.length < 2) return;
    const hasChoice = isChoice(page, state.device);
    if (hasChoice) device = state.device;
    else if (!state.block) history.replaceState(null, '', linkTo(view.name, Object.assign(state, {device})));
    sayDevice(view);
  }

  /** Shows what is chosen, and what the view makes of it. */
  function sayDevice(view) {
    const title = text => text === ALL ? 'all devices' : deviceTitle(page, places.find(place => deviceKey(page, place) === text));
    deviceBox.value = device;
    hardware.textContent = hardwareText(page, restrictedTo(page, {device}));
    deviceNote.textContent = view.devices === 'one' && device === ALL ? `This view shows one device at a time: now ${title(deviceKey(page, fullest(page)))}, which held the most.` :
      view.devices === 'none' && device !== ALL ? `This view covers all devices and cannot be restricted to ${title(device)}.` : '';
    deviceNote.hidden = !deviceNote.textContent;
  }

  function chooseDevice(key) {
    const {state} = parseLink(pending || location.hash);
    go(current.name, {...Object.fromEntries(Object.entries(state).filter(([name]) => !(current.ofDevice || []).includes(name))), device: key});
  }

  function go(name, state = {}, {replace = false, step = false} = {}) {
    if (places.length > 1) {
      if (isChoice(page, state.device)) device = state.device;
      if (current && name === current.name) sayDevice(current);
    }
    const link = linkTo(name, places.length > 1 ? {...state, device} : state);
    if (step && link !== (pending || location.hash)) {
      const isNew = performance.now() - stepped > STEP_MS;
      stepped = performance.now();
      if (isNew) {
        settle(); // so that Back leads to the state before
        history.pushState(null, '', link);
        return;
      }
    }
    if (replace || step) {
      if (!pending) waiting = setTimeout(settle, DELAY_MS);
      pending = link;
      return;
    }
    settle(); // so that Back leads to the state that was shown last
    if (link !== location.hash) location.hash = link;
  }

  function settle() {
    clearTimeout(waiting);
    if (pending) history.replaceState(null, '', pending);
    pending = '';
  }

  /** An error after a view has opened is shown in that view, once; the other views keep working. */
  function wentWrong(error) {
    if (main.querySelector('.failure')) return;
    const place = el('div');
    main.prepend(place);
    showFailure(place, error instanceof Error ? error : new Error(String(error)));
  }
  addEventListener('error', event => { // browsers report a ResizeObserver notification that waits for the next frame as an error
    if (!/^ResizeObserver loop/.test(event.message)) wentWrong(event.error || event.message);
  });
  addEventListener('unhandledrejection', event => wentWrong(event.reason));
  addEventListener('hashchange', show);
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return;
    const view = views.find(one => one.key === event.key);
    if (view) go(view.name);
    else if (event.key === '?') help();
    else if (event.key === '/' && main.querySelector('input[type=search]')) main.querySelector('input[type=search]').focus();
    else return;
    event.preventDefault();
  });
  show();
}
