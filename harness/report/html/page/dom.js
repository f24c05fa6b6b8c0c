/** Creates elements. Text is inserted as text, never as markup. */

/** Control characters and bidirectional marks, which are shown as escapes. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cs}]|\p{Bidi_Control}/gu;

/** @param {string} text */
export function plain(text) {
  return text.replaceAll(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * @param {string} tag
 * @param {{ readonly [name: string]: string }} attributes
 * @param {readonly (Node | string)[]} children
 */
export function make(tag, attributes, children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, plain(value));
  for (const child of children) element.append(typeof child === 'string' ? plain(child) : child);
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} tag
 * @param {{ readonly [name: string]: string | number }} attributes
 * @param {readonly (Node | string)[]} children
 */
export function draw(tag, attributes, children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, plain(String(value)));
  for (const child of children) element.append(typeof child === 'string' ? plain(child) : child);
  return element;
}

/** @param {number} timeMs */
export function timeText(timeMs) {
  if (timeMs < 10_000) return `${Math.round(timeMs)} ms`;
  return timeMs < 120_000 ? `${(timeMs / 1000).toFixed(1)} s` : `${(timeMs / 60_000).toFixed(1)} min`;
}
