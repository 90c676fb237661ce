/**
 * leak_lines.js - leaks by line: call paths that allocated the same at one place are one entry with their sum, as `gpumemprof leaks` prints them.
 *
 * views/leaks.js and summary.js call it. Leaks of profile.leaks are the largest first.
 */
import {lineKey, whatText} from './model.js';

/**
 * @param {object[]} leaks of profile.leaks
 * @returns {object[]} as the leak of a line that has most, with the sums of `bytes` and `blocks`, and all of them in `paths`; the largest first
 */
export function leakLines(leaks) {
  const lines = new Map();
  for (const leak of leaks) {
    const key = `${lineKey(leak)}\0${whatText(leak)}`, line = lines.get(key);
    if (!line) {
      lines.set(key, {...leak, paths: [leak]});
      continue;
    }
    line.bytes += leak.bytes;
    line.blocks += leak.blocks;
    line.paths.push(leak);
  }
  return [...lines.values()].sort((a, b) => b.bytes - a.bytes);
}
