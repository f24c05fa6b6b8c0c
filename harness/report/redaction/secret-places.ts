/**
 * Decides which keys, flags and variables hold secrets, by their names.
 *
 * Owns: these names. Does not own: the walk (`redaction.ts`). A value that is hidden needlessly is restored for a replay; a secret that was
 * written cannot be taken back.
 */

/**
 * Keys whose text is a secret in any object, query or body. Names and references of secrets have different keys. The prefix must match in
 * only one way: otherwise, the test of a long key would take exponential time, and every key of every history is tested.
 */
const KEY =
  /^(?:proxy-?)?authorization$|^(?:[a-z]+(?:[-_][a-z]+)*[-_]?)?(?:token|password|passwd|passphrase|api[-_]?key|private[-_]?key|access[-_]?key|client[-_]?secret|secret[-_]?key)$/i;
/** Matching keys that hold no secret: the continue token of a list, the type of a token. */
const NO_SECRET = /^(?:continue|token[-_]?type|max[-_]?token|automountserviceaccounttoken)$/i;
/** `--bind-password=…`, but not `--token-file=…`. */
const FLAG =
  /^(--?[a-z0-9-]*(?:token|password|passwd|passphrase|api-?key|private-?key|access-?key|secret))(?:=([\s\S]+))?$/i;

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Values of "authorization" in manifests that select an authorization mode. */
const MODE = /^(?:rbac|allow-all)$/;

/** Reports whether the value of a key is a secret. */
export function isSecretKey(key: string, value: string): boolean {
  return KEY.test(key) && !NO_SECRET.test(key) && !MODE.test(value);
}

/**
 * Reports whether a variable holds a secret. Variables are named differently from keys: `DB_PASSWORD`, `AWS_SECRET_ACCESS_KEY`,
 * `GITHUB_PAT`.
 */
export function isSecretVariable(name: string): boolean {
  return /(?:PASS|PWD|SECRET|TOKEN|KEY|CREDENTIAL|_PAT$|AUTH|DSN)/i.test(name);
}

/** Reports whether a text looks random: long, with letters and digits, and neither a URL nor a path. */
export function looksDrawn(text: string): boolean {
  return /^(?=.*\d)(?=.*[A-Za-z])[\w+=!@#$%^&*~-]{14,}$/.test(text);
}

/** Matches a flag that names a secret: returns the flag, and the secret if it is in the same argument. */
export function secretFlag(word: string): { readonly flag: string; readonly value: string | undefined } | undefined {
  const match = FLAG.exec(word);
  return match?.[1] === undefined ? undefined : { flag: match[1], value: match[2] };
}

/** Keys of Secret types whose value must be JSON. */
export const JSON_KEYS: ReadonlySet<string> = new Set(['.dockerconfigjson', '.dockercfg']);
