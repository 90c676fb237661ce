/**
 * keys.js - the keys of the state view. They work wherever the focus is, except in fields, lists and tables, which use the keys themselves.
 */

export const KEYS = [{key: '← →', text: 'one event back, forward'}, {key: 'shift ← →', text: '100 events back, forward'}, {key: 'Home, End', text: 'to the first, last event'},
  {key: 'p', text: 'to the peak of the device'}, {key: 'o, O', text: 'to the next, previous out-of-memory event'},
  {key: '↑ ↓', text: 'on the map: to the previous, next live block'}, {key: 'Enter', text: 'on the map: to the details of the block'},
  {key: '+ -', text: 'zoom in, out'}, {key: '/', text: 'to the field for an event or a block'}, {key: 'Escape', text: 'no block selected'}];

/** @param {import('./view.js').StateView} view @returns {() => void} stops listening */
export function followKeys(view) {
  const onKey = event => {
    const {target} = event, isSlider = target === view.scrubber.slider;
    if (!view.moment || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (!isSlider && target.matches('input, select, textarea, table *')) return;
    const isMap = target === view.map.element, by = event.shiftKey ? 100 : 1;
    const actions = {ArrowLeft: () => view.step(-by), ArrowRight: () => view.step(by), Home: () => view.toFirst(), End: () => view.toLast(),
      p: () => view.toPeak(), o: () => view.toOom(1), O: () => view.toOom(-1), '+': () => view.zoom(-1), '=': () => view.zoom(-1), '-': () => view.zoom(1),
      '/': () => view.controls.field.focus(), Escape: () => view.select(-1),
      ...(isMap ? {ArrowUp: () => view.selectBeside(-1), ArrowDown: () => view.selectBeside(1), Enter: () => view.details.focus()} : {})};
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
