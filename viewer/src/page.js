/**
 * page.js - the sections of the page: <script data-section="NAME"> of base64(gzip(content)), see docs/PAGE.md.
 *
 * main.js opens it once; views request the sections that they draw. `profile` is available at once, the others on first use; each is decoded once.
 * Base64 is decoded in pieces as the decompressor requests them, so that a large section does not block the page.
 */
import {decodeEvents} from './events.js';

const PIECE = 1 << 18; // characters; a multiple of four, so that each piece is base64 by itself

/** Lets the page draw and handle keys, because a browser runs a chain of promises as one task. */
const turn = () => new Promise(resolve => {
  const {port1, port2} = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    resolve();
  };
  port2.postMessage(null);
});

/** @param {string} base64 @returns {ReadableStream<Uint8Array>} */
function bytesOf(base64) {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      await turn();
      if (at >= base64.length) {
        controller.close();
        return;
      }
      const piece = atob(base64.slice(at, at + PIECE));
      at += PIECE;
      const bytes = new Uint8Array(piece.length);
      for (let i = 0; i < piece.length; ++i) {
        bytes[i] = piece.charCodeAt(i);
      }
      controller.enqueue(bytes);
    },
  });
}

/** @param {string} base64 @returns {Promise<Uint8Array>} */
async function unpacked(base64) {
  const pieces = [];
  let length = 0;
  const reader = bytesOf(base64).pipeThrough(new DecompressionStream('gzip')).getReader();
  for (let got = await reader.read(); !got.done; got = await reader.read()) {
    pieces.push(got.value);
    length += got.value.length;
  }
  const whole = new Uint8Array(length);
  let to = 0;
  for (const piece of pieces) {
    whole.set(piece, to);
    to += piece.length;
  }
  await turn();
  return whole;
}

const json = bytes => JSON.parse(new TextDecoder().decode(bytes));

/**
 * @typedef {object} Page
 * @property {object} profile the section `profile`
 * @property {(name: string) => boolean} has whether the page has a section
 * @property {() => Promise<object|null>} sources the section `sources`, null where the page was made without
 * @property {() => Promise<import('./events.js').Events|null>} events null where the capture has not all events
 * @property {() => Promise<object|null>} diff null where there is no second capture
 * @property {() => Promise<object|null>} advice null where the capture does not say what used which memory
 */

/**
 * @param {Document} document
 * @returns {Promise<Page>} rejected with a sentence where the profile is missing or damaged
 */
export async function openPage(document) {
  const element = name => document.querySelector(`script[data-section="${name}"]`);
  const opened = new Map();
  const section = (name, decode) => {
    if (!opened.has(name)) {
      const found = element(name);
      opened.set(name, !found ? Promise.resolve(null) : unpacked(found.textContent.trim()).then(decode).catch(error => {
        throw new Error(`The section \`${name}\` of this page is damaged (${error.message}). Write the page again with \`gpumemprof html\`.`);
      }));
    }
    return opened.get(name);
  };
  const profile = await section('profile', json);
  if (!profile) {
    throw new Error('This page has no profile. Write it again with `gpumemprof html`.');
  }
  if (profile.page.format !== 1) {
    throw new Error(`This page has format ${profile.page.format}; its own viewer reads format 1. Write it again with \`gpumemprof html\`.`);
  }
  return {
    profile,
    has: name => element(name) !== null,
    sources: () => section('sources', json),
    events: () => section('events', decodeEvents),
    diff: () => section('diff', json),
    advice: () => section('advice', json),
  };
}
