/**
 * route.js - the link to a view and its state, `#/VIEW?key=value&…` (docs/PAGE.md), and back.
 *
 * shell.js calls it for the address, views for the links they show. A state is an object of strings; a key without a value is not
 * in the link. Characters that are common in file names and expressions stay readable.
 */

/** @param {string} text */
const encoded = text => encodeURIComponent(text).replace(/%(2F|3A|2C|40|20)/g, (whole, code) =>
  ({'2F': '/', '3A': ':', '2C': ',', 40: '@', 20: '+'})[code]);

/** A percent sign that begins no escape is kept, because users also type links. */
const decoded = text => {
  const spaced = text.replace(/\+/g, ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
};

/**
 * @param {string} view
 * @param {Object<string, string|number|null|undefined>} [state]
 * @returns {string} "#/view?key=value"
 */
export function linkTo(view, state = {}) {
  const pairs = Object.entries(state).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return `#/${view}` + (pairs.length ? '?' + pairs.map(([key, value]) => `${key}=${encoded(String(value))}`).join('&') : '');
}

/**
 * @param {string} hash as location.hash has it, with or without "#"
 * @returns {{view: string, state: Object<string, string>}} view is "" where the link names none
 */
export function parseLink(hash) {
  const match = /^#?\/?([^?]*)(?:\?(.*))?$/.exec(hash) || ['', '', ''];
  const state = Object.create(null);
  for (const pair of (match[2] || '').split('&')) {
    if (pair) {
      const cut = pair.indexOf('=');
      state[decoded(cut < 0 ? pair : pair.slice(0, cut))] = cut < 0 ? '' : decoded(pair.slice(cut + 1));
    }
  }
  return {view: decoded(match[1]), state};
}
