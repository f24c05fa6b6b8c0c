/**
 * Where secrets stand, by the names of things.
 *
 * Owns: which keys, flags and texts hold them. Does not own: the walk (`redaction.ts`). Too much hidden costs readers a value, for
 * a replay gets it back; too little hidden cannot be taken back.
 */

/**
 * Keys whose text is a secret in any object, query or body. Names and references of secrets have other keys. Words before them are matched
 * in one way only: every key of every history is looked at, and with two ways a long word takes as many steps as there are splits of it.
 */
const KEY =
  /^(?:proxy-?)?authorization$|^(?:[a-z]+(?:[-_][a-z]+)*[-_]?)?(?:token|password|passwd|passphrase|api[-_]?key|private[-_]?key|access[-_]?key|client[-_]?secret|secret[-_]?key)$/i;
/** Such keys that hold no secret: how to go on with a list, which kind of token. */
const NO_SECRET = /^(?:continue|token[-_]?type|max[-_]?token|automountserviceaccounttoken)$/i;
/** `--bind-password=…`, but not `--token-file=…`. */
const FLAG =
  /^(--?[a-z0-9-]*(?:token|password|passwd|passphrase|api-?key|private-?key|access-?key|secret))(?:=([\s\S]+))?$/i;

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What "authorization" says of manifests: how roles are enforced, not who asks. */
const MODE = /^(?:rbac|allow-all)$/;

/** Whether the value of a key is a secret. */
export function isSecretKey(key: string, value: string): boolean {
  return KEY.test(key) && !NO_SECRET.test(key) && !MODE.test(value);
}

/** Variables are named otherwise than keys: `DB_PASSWORD`, `AWS_SECRET_ACCESS_KEY`, `GITHUB_PAT`. */
export function isSecretVariable(name: string): boolean {
  return /(?:PASS|PWD|SECRET|TOKEN|KEY|CREDENTIAL|_PAT$|AUTH|DSN)/i.test(name);
}

/** Whether a text looks drawn at random: long, letters and digits, no address or path. */
export function looksDrawn(text: string): boolean {
  return /^(?=.*\d)(?=.*[A-Za-z])[\w+=!@#$%^&*~-]{14,}$/.test(text);
}

/** A flag that names a secret: the flag, and the secret if it is in the same word. */
export function secretFlag(word: string): { readonly flag: string; readonly value: string | undefined } | undefined {
  const match = FLAG.exec(word);
  return match?.[1] === undefined ? undefined : { flag: match[1], value: match[2] };
}

/** Types of Secrets whose one key has to be JSON. */
export const JSON_KEYS: ReadonlySet<string> = new Set(['.dockerconfigjson', '.dockercfg']);
