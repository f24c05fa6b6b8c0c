/** Replaces uids in sentences: people know objects by kind and name. */
import type { History } from '../model/history.ts';
import { indexOf } from './history-index.ts';

/** Matches a uid in a list key, or anywhere else. */
const UID = /\[uid=([^\]*]+)\]|\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g;

/** Returns `metadata.ownerReferences[Widget a].name` for `metadata.ownerReferences[uid=…].name`. */
export function withNames(sentence: string, history: History): string {
  return sentence.replaceAll(UID, (_, key: string | undefined, uid: string | undefined) => {
    const object = indexOf(history)
      .chain(key ?? uid ?? '')
      .at(-1);
    const name = object === undefined ? 'another object' : `${object.object.kind} ${nameOf(object, history)}`;
    return key === undefined ? `uid of ${name}` : `[${name}]`;
  });
}

function nameOf({ uid, name }: { readonly uid: string; readonly name: string }, { names }: History): string {
  return names[uid] ?? name;
}
