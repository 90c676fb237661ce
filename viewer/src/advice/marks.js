/**
 * marks.js - what advice says about lines of the source, for the margin of views/source.js: at the line to change, each thing to do there, with what the first
 * finding saves that names it.
 */

/**
 * @param {object|null} advice the section @param {number} place the chosen device; -1: all
 * @returns {Map<string, Map<number, {number: number, choices: {says: string, saving: number, others: number}[]}>>} by file, then by line. number: of the first finding;
 *   others: how many changes it needs beside itself
 */
export function marksOf(advice, place) {
  const files = new Map();
  for (const {steps, steps_in_all: all, number, saving, place: own} of advice?.findings || []) {
    for (const {from, says} of place < 0 || own === place ? steps : []) {
      if (!files.has(from.file)) files.set(from.file, new Map());
      const lines = files.get(from.file), mark = lines.get(from.line) || {number, choices: []};
      lines.set(from.line, mark);
      if (!mark.choices.some(choice => choice.says === says)) mark.choices.push({says, saving, others: all - 1});
    }
  }
  return files;
}
