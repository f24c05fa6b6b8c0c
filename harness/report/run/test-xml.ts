/** A strict parser of the XML that reports use, for tests: throws unless the text is well-formed. Accepts no DTD, CDATA or comments. */

export interface XmlElement {
  readonly name: string;
  readonly attributes: { readonly [name: string]: string };
  readonly children: readonly XmlElement[];
  /** The element's own text, without that of its children. */
  readonly text: string;
}

const ENTITIES: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
// eslint-disable-next-line no-control-regex
const ALLOWED = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;

export function readXml(text: string): XmlElement {
  if (!ALLOWED.test(text)) throw new Error('a character that XML forbids');
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!text.startsWith(head)) throw new Error('no declaration');
  const root = open('', '');
  const stack = [root];
  let at = head.length;
  const token = /<(\/?)([A-Za-z][\w-]*)((?:\s+[A-Za-z][\w-]*="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
  for (token.lastIndex = at; at < text.length; at = token.lastIndex) {
    const match = token.exec(text);
    if (match === null) throw new Error(`not well-formed at "${text.slice(at, at + 40)}"`);
    const [, close, name = '', attributes = '', empty, words] = match;
    const top = stack.at(-1) ?? root;
    if (words !== undefined) top.text += decoded(words);
    else if (close === '/') {
      if (top.name !== name) throw new Error(`</${name}> closes <${top.name}>`);
      stack.pop();
    } else {
      const element = open(name, attributes);
      top.children.push(element);
      if (empty !== '/') stack.push(element);
    }
  }
  const [only, ...others] = root.children;
  if (stack.length !== 1 || only === undefined || others.length > 0 || root.text.trim() !== '') {
    throw new Error('not one element');
  }
  return only;
}

interface Open extends XmlElement {
  readonly children: Open[];
  text: string;
}

function open(name: string, attributes: string): Open {
  const pairs = [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
    key,
    decoded(value),
  ]);
  if (new Set(pairs.map(([key]) => key)).size !== pairs.length) throw new Error(`<${name}> has an attribute twice`);
  return { name, attributes: Object.fromEntries(pairs) as XmlElement['attributes'], children: [], text: '' };
}

function decoded(text: string): string {
  return text.replaceAll(/&([^;]*);?/g, (whole, name: string) => {
    const code = /^#(\d+)$/.exec(name)?.[1];
    const character = code === undefined ? ENTITIES[name] : String.fromCodePoint(Number(code));
    if (character === undefined || !whole.endsWith(';')) throw new Error(`no entity: ${whole}`);
    return character;
  });
}

/** Returns all elements with a name, in order. */
export function all(element: XmlElement, name: string): readonly XmlElement[] {
  const below = element.children.flatMap((child) => all(child, name));
  return element.name === name ? [element, ...below] : below;
}
