/** Buttons that copy a command, even if the page may not access the clipboard. */
import { byId } from './dom.js';

export function installCopying() {
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null;
    if (button instanceof HTMLElement) void copy(button, button.dataset['copy'] ?? '');
  });
}

/** @param {HTMLElement} button @param {string} text */
async function copy(button, text) {
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copied = copyBySelection(text);
  }
  const label = copied ? 'Copied' : 'Select the text and copy it';
  button.textContent = copied ? 'Copied ✓' : 'Copy';
  byId('said').textContent = `${label}: ${text}`;
  button.addEventListener('blur', () => (button.textContent = 'Copy'), { once: true });
}

/** @param {string} text */
function copyBySelection(text) {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}
