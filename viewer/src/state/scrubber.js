/**
 * scrubber.js - where in the run the state is: a slider over the allocation clock, above it the device's total with its peak and its failures.
 *
 * view.js owns it. The curve is orientation for the eye; the sentences around it say what it shows, and the slider takes the keys.
 */
import {el} from '../dom.js';
import {exact} from '../format.js';

const HEIGHT = 40, INSET = 8; // pixels: half of the slider's thumb, so that curve and thumb are in line

export class Scrubber {
  /** @param {number} last clock of the run @param {(clock: number) => void} onClock */
  constructor(last, onClock) {
    this.last = Math.max(1, last);
    this.onClock = onClock;
    Object.assign(this, {track: null, ooms: [], clock: 0});
    this.curve = el('canvas', {class: 'state-curve', 'aria-hidden': 'true', onpointerdown: event => this.#drag(event), onpointermove: event => {
      if (event.buttons & 1) this.#drag(event);
    }});
    this.slider = el('input', {type: 'range', min: '0', max: String(this.last), step: '1', 'aria-label': 'Event of the run',
      oninput: () => onClock(Number(this.slider.value))});
    this.root = el('div', {class: 'state-scrubber'}, this.curve, this.slider);
  }

  /**
   * @param {{moment: Uint32Array, most: Float64Array, peak: number, peak_clock: number}|null} track
   * @param {number[]} ooms clocks of calls that were out of memory
   */
  setTrack(track, ooms) {
    this.track = track;
    this.ooms = ooms;
  }

  /** @param {number} clock @param {string} text what the slider says to screen readers */
  set(clock, text) {
    this.clock = clock;
    this.slider.value = String(clock);
    this.slider.setAttribute('aria-valuetext', text || `event ${exact(clock)}`);
    this.draw();
  }

  #drag(event) {
    const box = this.curve.getBoundingClientRect(), share = (event.clientX - box.left - INSET) / Math.max(1, box.width - 2 * INSET);
    this.onClock(Math.round(Math.min(1, Math.max(0, share)) * this.last));
  }

  draw() {
    const width = this.root.clientWidth, scale = devicePixelRatio || 1, {curve, track} = this;
    if (!width) return;
    if (curve.width !== Math.round(width * scale)) [curve.width, curve.height] = [Math.round(width * scale), HEIGHT * scale];
    const pen = curve.getContext('2d'), style = getComputedStyle(curve), color = name => style.getPropertyValue(name).trim();
    const x = clock => INSET + clock / this.last * (width - 2 * INSET);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, HEIGHT);
    if (track) {
      const y = bytes => HEIGHT - bytes / Math.max(1, track.peak) * (HEIGHT - 8);
      const room = part => part + 1 < track.moment.length ? 0 : INSET; // what is live at the end: a peak there would have no width
      pen.fillStyle = color('--bar');
      pen.beginPath();
      pen.moveTo(x(0), HEIGHT);
      for (let part = 0; part < track.moment.length; ++part) { // each holds until the next
        pen.lineTo(x(track.moment[part]), y(track.most[part]));
        pen.lineTo(x(part + 1 < track.moment.length ? track.moment[part + 1] : this.last) + room(part), y(track.most[part]));
      }
      pen.lineTo(x(this.last) + INSET, HEIGHT);
      pen.fill();
      pen.fillStyle = color('--ink');
      pen.fillRect(x(track.peak_clock) - 2, 0, 4, 6);
    }
    pen.fillStyle = color('--bad');
    for (const clock of this.ooms) pen.fillRect(x(clock) - 1, 0, 2, HEIGHT);
    pen.fillStyle = color('--focus');
    pen.fillRect(x(this.clock) - 1, 0, 2, HEIGHT);
  }
}
