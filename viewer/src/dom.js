/**
 * dom.js - makes elements. Text of a capture is untrusted: it gets into the page as text nodes and attributes, never as markup. All
 * views call it.
 */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} name of the element; "svg:rect" makes one of SVG
 * @param {Object<string, any>} [attributes] `on…` a listener, `class`, `style` an object (the policy of the page forbids style as
 *   text), null or false leaves it out, true sets it empty
 * @param {...(Node|string|number|null|undefined|Array)} children
 * @returns {HTMLElement|SVGElement}
 */
export function el(name, attributes = {}, ...children) {
  const made = name.startsWith('svg:') ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) {
      made.addEventListener(key.slice(2), value);
    } else if (key === 'style') {
      for (const [property, text] of Object.entries(value)) {
        made.style.setProperty(property, String(text));
      }
    } else {
      made.setAttribute(key, value === true ? '' : String(value));
    }
  }
  made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false)
    .map(child => child instanceof Node ? child : String(child)));
  return made;
}

/** Text for screen readers alone. @param {string} text */
export const unseen = text => el('span', {class: 'unseen'}, text);
