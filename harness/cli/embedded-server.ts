/** The embedded API server outside a trial: real time, fresh ids. */
import { ApiServer } from '../apiserver/server.ts';
import { Random } from '../determinism/random.ts';
import { realDate } from '../determinism/real-time.ts';
import { apiVersionOf } from '../model/object.ts';

export function createServer(): ApiServer {
  const ids = new Random(realDate().getTime());
  return new ApiServer({
    now: () => realDate().getTime(),
    newUid: () => ids.uuid(),
    nameSuffix: () => ids.suffix(),
  });
}

/** `apiVersion/Kind` of what it serves without a CRD. */
export function builtInKinds(): ReadonlySet<string> {
  return new Set(
    createServer()
      .resourceKinds()
      .map((kind) => `${apiVersionOf(kind)}/${kind.kind}`),
  );
}
