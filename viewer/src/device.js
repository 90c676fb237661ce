/**
 * device.js - the device that the page is about: which there are, the one that the address names, and figures of it alone.
 *
 * shell.js has the one selector, and puts its choice into the address of every view (`device`); views ask here. Where there is one device with memory
 * there is nothing to choose, and figures are those of the whole page. Figures of one device are from C: those of tables in profile.by_device, those
 * of nodes as sums of profile.cells. Own and live peaks are recorded over all devices: a row has them where nothing of another device is in them.
 */
import {bytes} from './format.js';
import {deviceKey, deviceTitle} from './model.js';

/** In place of a device: all of them. */
export const ALL = 'all';
const ADDING = ['self_at_peak', 'self_alloc', 'leaked', 'blocks'];

/** Places in profile.devices of those whose memory is in the page. @param {object} page @returns {number[]} */
export function placesWithMemory({profile: {devices, cells}}) {
  const used = new Set(cells.device);
  return Array.from(devices.keys()).filter(place => used.has(place));
}

/** The one that held most; pieces of the program's own allocators are within others. @param {object} page */
export function fullest(page) {
  const {devices} = page.profile, places = placesWithMemory(page), own = places.filter(place => devices[place].device !== 'custom');
  return (own.length ? own : places).reduce((found, place) => found < 0 || devices[place].peak > devices[found].peak ? place : found, -1);
}

/** @param {object} page @param {string} [key] of a link @returns {boolean} whether it is one that can be chosen */
export const isChoice = (page, key) => key === ALL || placesWithMemory(page).some(place => deviceKey(page, place) === key);

/**
 * The place of the device that a view is restricted to; -1: it is not, because all are asked for, or there is only one.
 * @param {object} page @param {Object<string, string>} state of the link
 */
export function restrictedTo(page, {device}) {
  const places = placesWithMemory(page);
  if (places.length < 2 || device === ALL) return -1;
  return places.find(place => deviceKey(page, place) === device) ?? fullest(page);
}

/** The one device of views that show no more than one. @param {object} page @param {Object<string, string>} state */
export const oneOf = (page, {device}) => placesWithMemory(page).find(place => deviceKey(page, place) === device) ?? fullest(page);

/**
 * What devices there are, with their memory: "GPU 0 and GPU 1: NVIDIA H200, 141.00 GiB".
 * @param {object} page @param {number} place of restrictedTo
 */
export function hardwareText(page, place) {
  const {devices} = page.profile, found = new Map(), used = placesWithMemory(page);
  for (const one of place >= 0 ? [place] : used.length ? used : devices.keys()) {
    const title = deviceTitle(page, one), {name, memory_total: total} = devices[one];
    const what = [name === title ? '' : name, total ? bytes(total) : ''].filter(Boolean).join(', ');
    if (what || place >= 0) found.set(what, [...found.get(what) || [], title]);
  }
  return [...found].map(([what, titles]) => `${titles.join(' and ')}${what ? `: ${what}` : ''}${titles.length > 1 ? ' each' : ''}`).join('; ');
}

/** " of GPU 0", or "" where nothing is left out. @param {object} page @param {number} place of restrictedTo */
export const ofDevice = (page, place) => place < 0 ? '' : ` of ${deviceTitle(page, place)}`;

/** Keys of figures that are recorded over all devices. */
const OVER_ALL = ['live_peak', 'own_peak_max', 'own_peak_mean'];
const isGpu = ({device}) => device !== 'host' && device !== 'custom'; // own peaks of calls hold neither pinned memory nor pieces

/**
 * The peaks of a row that are recorded over all devices, where they are those of one: no other allocated in the line itself and, for what its calls
 * needed, no other GPU in or below it. A part of a run begins with blocks that these sums do not have.
 * @param {object} profile @param {number} place @param {object} all the row of all devices @param {object} own that of the one
 */
function peaksOf(profile, place, all, own) {
  const {devices, page: {history, resets}} = profile;
  if (!isGpu(devices[place]) || history === 'window' || resets || all.self_alloc !== own.self_alloc) return {};
  const isOneGpu = placesWithMemory({profile}).every(other => other === place || !isGpu(devices[other]));
  const isInside = isOneGpu || (all.incl_alloc === own.incl_alloc && all.incl_freed === own.incl_freed);
  return Object.fromEntries(OVER_ALL.filter(key => key in all && (isInside || key === 'live_peak')).map(key => [key, all[key]]));
}

const restricted = new WeakMap(); // profile -> by table and place

/**
 * The rows of a table with the figures of one device, as `report --device` has them, and with peaks (peaksOf) that it does not have.
 * @param {object} page @param {string} table of profile.tables @param {number} place of restrictedTo
 * @returns {{rows: object[], isRestricted: boolean, missing: string[]}} all rows where the page does not know it; missing: keys of what some rows have only of all devices
 */
export function rowsOf({profile}, table, place) {
  const all = profile.tables[table] || [];
  if (place < 0) return {rows: all, isRestricted: true, missing: []};
  if (table === 'device' || table === 'stream') return {rows: all.filter(row => row.device === profile.devices[place].device), isRestricted: true, missing: []};
  const figures = (profile.by_device || []).find(({device}) => device === place)?.[table];
  if (!figures) return {rows: all, isRestricted: false, missing: []};
  if (!restricted.has(profile)) restricted.set(profile, new Map());
  const made = restricted.get(profile), key = `${table} ${place}`, columns = Object.entries(figures);
  if (!made.has(key)) {
    const missing = new Set(), rows = all.map((row, i) => {
      if (columns.every(([, values]) => values[i] === null)) return null;
      const {frees_of: left, frees_of_more: more, small_variables: small, ...kept} = row; // the first two are of all devices
      const own = Object.fromEntries(columns.map(([name, values]) => [name, values[i]]));
      Object.assign(kept, own, peaksOf(profile, place, row, own), small ? {small_variables: small} : {});
      OVER_ALL.filter(name => kept[name] === null && row[name] !== null).forEach(name => missing.add(name));
      return kept;
    }).filter(Boolean);
    made.set(key, {rows, missing: [...missing]});
  }
  return {isRestricted: true, ...made.get(key)};
}

/** What adds up over nodes, of one device. @param {object} page @param {number} place @returns {Object<string, ArrayLike<number>>} by key, then by node */
export function nodeFigures({profile: {tree, cells}}, place) {
  if (place < 0) return Object.fromEntries(ADDING.map(key => [key, tree[key]]));
  return Object.fromEntries(ADDING.map(key => {
    const sums = new Float64Array(tree.parent.length);
    cells.node.forEach((node, cell) => {
      if (cells.device[cell] === place) sums[node] += cells[key][cell];
    });
    return [key, sums];
  }));
}
