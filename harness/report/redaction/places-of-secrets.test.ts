/** Secrets in places that are easily overlooked. */
import { describe, expect, it } from 'vitest';
import { HistoryScript, findingOf } from '../test-findings.ts';
import { redactFinding, redactRecording, redactRevisited } from './index.ts';
import { Redaction } from './redaction.ts';
import { standInsOf } from './stand-in.ts';
import { TOKENS } from './test-secrets.ts';
import { Vault } from './vault.ts';

const SECRET = 'q7Xw2vPz9LkT4mNs';
const encoded = Buffer.from(SECRET).toString('base64');
const HELD = { kind: 'Secret', data: { password: encoded } };
const { 'private key': KEY = '', 'GitHub ghp': TOKEN = '' } = TOKENS;

function inObject(spec: object): object {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default' }, spec };
}

function hidden(value: object): string {
  return JSON.stringify(new Redaction(() => Buffer.alloc(32)).learn(value).hide(value));
}

describe('a secret is hidden', () => {
  it.each<[string, object]>([
    ['as the key of a map', { held: HELD, reasons: { [`login with ${SECRET} failed`]: 2 } }],
    ['as the key of a map in JSON', { held: HELD, note: JSON.stringify({ users: { [SECRET]: { [TOKEN]: 1 } } }) }],
    ['as the key of a map of names', { held: HELD, names: { [SECRET]: 'a', [TOKEN]: 'b' } }],
    ['as the key of a map under the name of an identifier', { held: HELD, spec: { group: { [SECRET]: 'a' } } }],
    ['as the key of a Secret', { items: [HELD, { kind: 'Secret', stringData: { [SECRET]: 'a', [TOKEN]: 'b' } }] }],
    ['as the name of a variable', { env: [{ name: TOKEN, value: 'a' }] }],
    ['in the path of a field', { held: HELD, signature: { field: `data.${SECRET}` } }],
    [
      'under keys of an object that are called like those of a schedule, where no object has the name',
      { items: [HELD, inObject({ users: [{ name: SECRET }], actor: SECRET, type: SECRET, log: `says ${SECRET}` })] },
    ],
    ['under such a key of a patch', { held: HELD, body: { spec: { users: [{ name: SECRET }] } } }],
    ['under such a key of what a writer sets', { held: HELD, op: { do: 'set', value: { name: SECRET } } }],
    ['in a list under the name of an identifier', { spec: { group: [TOKEN], type: [{ text: TOKEN }] } }],
    ['in a map of names', { names: { uid: TOKEN } }],
    ['in a sentence under the name of an identifier', { held: HELD, reason: `never started: login with ${SECRET}` }],
    [
      'under a key of a Secret that is called like an identifier',
      { kind: 'Secret', stringData: { name: SECRET }, log: [SECRET] },
    ],
    ['in the selector of a stream', { held: HELD, stream: `controller/watch/pods/shop?key=${SECRET},app=web#0` }],
    [
      'in an older Secret in an annotation',
      { note: JSON.stringify({ kind: 'Secret', data: { a: encoded } }), log: SECRET },
    ],
    [
      'in a Secret in an annotation with spaces',
      { note: JSON.stringify({ kind: 'Secret', data: { a: encoded } }, null, 2), log: SECRET },
    ],
    ['in a Secret in a manifest', { note: `apiVersion: v1\nkind: Secret\ndata:\n  a: ${encoded}\n` }],
    [
      'in a ConfigMap that holds a kubeconfig',
      { note: `users:\n- user:\n    client-key-data: ${Buffer.from(KEY).toString('base64')}\n` },
    ],
    [
      'in a list of words of a command',
      { command: ['./manager', '--client-secret', SECRET], log: `started with ${SECRET}` },
    ],
  ])('%s', (_, value) => {
    const text = hidden(value);

    for (const secret of [SECRET, encoded, TOKEN, KEY.slice(40, 60), Buffer.from(KEY.slice(60, 90)).toString('base64')])
      expect(text).not.toContain(secret);
    expect(standInsOf(text).length).toBeGreaterThan(0);
  });

  it('and what is before and after it in the label of a stream stays', () => {
    expect(hidden({ held: HELD, stream: `controller/watch/pods/shop?key=${SECRET},app=web#0` })).toMatch(
      /"controller\/watch\/pods\/shop\?key=redacted-[0-9a-f]{16},app=web#0"/,
    );
    expect(hidden({ stream: 'controller/watch/pods/shop?token=abcdef#0/web@3' })).toMatch(
      /shop\?token=redacted-[0-9a-f]{16}#0\/web@3/,
    );
  });

  it('unless it is the name of an object, which schedules go by', () => {
    const named = { ...inObject({ users: [{ name: SECRET }] }), metadata: { name: SECRET, namespace: 'default' } };

    expect(hidden({ items: [HELD, named] })).toContain(JSON.stringify(named));
  });

  it('line by line, where a key is printed on several lines of a log', () => {
    const script = new HistoryScript();
    const lines = ['starting', `loaded ${KEY}`.split('\n')[0] ?? '', ...KEY.split('\n').slice(1), 'started 0815abc'];
    const logs = lines.flatMap((line, at) => [
      { actor: 'controller', line, at, timeMs: at },
      { actor: 'user', line: 'between', at, timeMs: at },
    ]);
    const recording = redactRecording({ history: script.history({ logs }) }, new Vault());
    const own = recording.history.logs?.filter(({ actor }) => actor === 'controller').map(({ line }) => line);

    expect(own?.filter((line) => /^(?:loaded )?redacted-[0-9a-f]{16}$/.test(line))).toHaveLength(5);
    expect([own?.[0], own?.at(-1)]).toEqual(['starting', 'started 0815abc']);
    expect(recording.history.logs?.filter(({ line }) => line === 'between')).toHaveLength(lines.length);
  });

  it('that only the configuration knows', () => {
    const script = new HistoryScript();
    const history = script.history({ logs: [{ actor: 'controller', line: `login with ${SECRET}`, at: 1, timeMs: 0 }] });
    const found = findingOf(history, {
      signature: { property: 'p', class: 'c', actors: ['target'], kind: 'k', field: 'f' },
      sentence: `controller said ${SECRET}`,
      operations: [],
    });
    const vault = new Vault();
    vault.sources.push({ env: [{ name: 'DB_PASSWORD', value: SECRET }] });
    const { counterexample, violation, record } = found;
    const revisited = {
      name: 'n',
      entry: { ...counterexample, kind: 'corpus-entry', state: 'open', reason: `knows ${SECRET}`, since: '' } as const,
      outcome: 'fails',
      k: 1,
      n: 1,
      missed: [],
      violation,
      history: record,
    } as const;

    expect(JSON.stringify(redactFinding(found))).toContain(SECRET);
    expect(JSON.stringify(redactFinding(found, vault))).not.toContain(SECRET);
    expect(JSON.stringify(redactRevisited(revisited, {}, vault))).not.toContain(SECRET);
  });
});
