/**
 * find.js - parses the text of the state view's field, or of a link: a tick of the clock, a block, an address.
 *
 *   12345               the state after that tick
 *   7f0012000000_2      the second block of that address: the tick of its allocation
 *   7f0012000000        an address (0x before it if it has digits alone): the block that is live there, else the first one that was
 */
/**
 * @param {string} text
 * @returns {{clock: number}|{address: number, generation: number|null}|null} null if it is neither
 */
export function parseWanted(text) {
  const plain = text.trim().replace(/[\u202f\u00a0 ]/g, '');
  if (/^\d+$/.test(plain)) return Number(plain) < 2 ** 32 - 1 ? {clock: Number(plain)} : null;
  const match = /^(?:0x)?([0-9a-f]{1,16})(?:_(\d+))?$/i.exec(plain);
  return match ? {address: parseInt(match[1], 16), generation: match[2] ? Number(match[2]) : null} : null;
}

/**
 * The rank of the block at an address: the live one, else the first one that was there, else -1. A piece takes precedence over the block around it.
 * @param {import('./moment.js').Moment} moment @param {number} address
 */
export function rankAt(moment, address) {
  const {layout} = moment;
  const number = layout.segments.findIndex(one => !one.placeless && one.begin <= address && address < one.end);
  if (number < 0) return -1;
  let found = -1;
  for (let rank = layout.segments[number].first; rank < layout.segments[number].last && layout.address[rank] <= address; ++rank) {
    if (address >= layout.address[rank] + layout.bytes[rank]) continue;
    const isBetter = found < 0 || moment.isLive(rank) > moment.isLive(found) ||
      (moment.isLive(rank) === moment.isLive(found) && (moment.isLive(rank) ? layout.layer[rank] >= layout.layer[found] :
        layout.start[rank] < layout.start[found]));
    if (isBetter) found = rank;
  }
  return found;
}
