/**
 * Finds secrets inside a secret: the password in a connection string, in registry credentials, in a kubeconfig or in an env
 * file. Programs use each of these separately, so each must be known separately.
 */
import { isRecord } from 'stalemate-apiserver/objects/json';
import { formatsIn } from './known-formats.ts';
import { namedValuesIn } from './named-values.ts';
import { isSecretKey, isSecretVariable } from './secret-places.ts';

/** Maximum length of a text, in characters; longer ones are archives. */
const LENGTH_MAX = 1_000_000;
/** A line of an env file, of YAML, or of an ini file. */
const LINE = /^[ \t]*(?:export[ \t]+|- )?["']?([A-Za-z][\w.-]*)["']?[ \t]*[:=][ \t]*(\S.*?)[ \t]*$/;
const CREDENTIALS = /^[\x21-\x39\x3b-\x7e]*:([\x20-\x7e]+)$/;

/** Returns the secrets inside a text, in no particular order; the whole text is not one of them. */
export function secretsInside(text: string): readonly string[] {
  if (text.length > LENGTH_MAX) return [];
  const found = new Set<string>();
  const add = (secret: string): void => {
    if (secret === '' || secret === text) return;
    found.add(secret);
    const password = passwordOf(secret);
    if (password !== undefined) found.add(password);
  };
  for (const { start, end } of [...formatsIn(text), ...namedValuesIn(text)]) add(text.slice(start, end));
  const json = parsed(text);
  if (json !== undefined) valuesIn(json, add);
  else if (text.includes('\n') || text.includes('='))
    for (const line of text.split('\n')) {
      const [, key = '', value = ''] = LINE.exec(line) ?? [];
      const secret = value.replace(/^(["'])(.*)\1$/, '$2');
      if (isSecretKey(key, secret) || isSecretVariable(key)) add(secret);
    }
  const own = passwordOf(text);
  if (own !== undefined) found.add(own);
  return [...found];
}

/** Returns the password of a base64-encoded `user:password`, as in headers and registry credentials. */
function passwordOf(text: string): string | undefined {
  if (text.length < 8 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  return CREDENTIALS.exec(Buffer.from(text, 'base64').toString('utf8'))?.[1];
}

function valuesIn(json: unknown, add: (secret: string) => void): void {
  if (Array.isArray(json)) for (const item of json) valuesIn(item, add);
  if (!isRecord(json)) return;
  for (const [key, value] of Object.entries(json)) {
    if (typeof value !== 'string') valuesIn(value, add);
    else if (key === 'auth' || isSecretKey(key, value)) add(value);
  }
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
