/** Tests the gate as a proxy that disturbs traffic on real connections: it holds, loses and refuses requests, and closes watches. */
import type { ClientHttp2Session } from 'node:http2';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CONFIGMAPS_PATH, configMap, WIDGETS_PATH, widget } from 'stalemate-apiserver/testing';
import { decodeFrame, decodeProtobuf } from 'stalemate-apiserver/wire/protobuf/envelope';
import {
  askHttp1,
  askHttp2,
  FRONT_TOKEN,
  gatedRig,
  openClosing,
  openStream,
  session,
  TOKEN,
  type GatedRig,
  type OpenStream,
  type RawAnswer,
  type RawQuestion,
} from './proxy-testing.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const JSON_TYPE = { 'content-type': 'application/json' };
const MAPS = 'controller/watch/configmaps/default#0';
const WATCH_MAPS = `${CONFIGMAPS_PATH}?watch=1&resourceVersion=1`;
const WATCH_WIDGETS = `${WIDGETS_PATH}?watch=1&resourceVersion=1`;

let rig: GatedRig | undefined;
let over: ClientHttp2Session | undefined;
afterEach(async () => {
  over?.destroy();
  await rig?.close();
  rig = over = undefined;
});

async function start(...given: Parameters<typeof gatedRig>): Promise<GatedRig & { over: ClientHttp2Session }> {
  const made = (rig = await gatedRig(...given));
  return { ...made, over: (over = session(made.front.url)) };
}

function ask(question: RawQuestion): Promise<RawAnswer> {
  return askHttp2(over as ClientHttp2Session, { token: FRONT_TOKEN, ...question });
}

function created(name: string): RawQuestion {
  return { method: 'POST', path: CONFIGMAPS_PATH, headers: JSON_TYPE, body: JSON.stringify(configMap(name, {})) };
}

/** Returns each line of a watch as the event's type and object name, such as `ADDED a`. */
function told(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { type, object } = JSON.parse(line) as {
        type: string;
        object: { metadata?: { name?: string }; code?: number };
      };
      return `${type} ${object.metadata?.name ?? object.code}`;
    });
}

/** Opens a watch through the front, and resolves once the server has opened it too. */
async function watch(path: string, headers: { readonly [name: string]: string } = {}): Promise<OpenStream> {
  const { recorder } = rig as GatedRig;
  const before = recorder.operations.filter(({ outcome }) => outcome.type === 'ok').length;
  const stream = openStream(over as ClientHttp2Session, path, headers);
  await vi.waitFor(() =>
    expect(recorder.operations.filter(({ outcome }) => outcome.type === 'ok').length).toBeGreaterThan(before),
  );
  return stream;
}

describe('through the gate', () => {
  it('bytes are those of the server, and the history knows what they say', async () => {
    const { direct, recorder } = await start();
    await ask(created('a'));
    const question = { path: `${CONFIGMAPS_PATH}/a` };

    const through = await ask({ ...question, headers: { accept: PROTOBUF } });
    const straight = await askHttp1(direct, { ...question, headers: { accept: PROTOBUF }, token: TOKEN });

    expect(through.body).toEqual(straight.body);
    expect(recorder.operations).toMatchObject([
      { label: 'controller/create/configmaps/default/a#0', body: { metadata: { name: 'a' } }, outcome: { code: 201 } },
      {
        label: 'controller/get/configmaps/default/a#0',
        outcome: {
          code: 200,
          object: {
            kind: 'ConfigMap',
            metadata: { name: 'a', resourceVersion: expect.stringMatching(/^\d+$/) as unknown },
          },
        },
      },
    ]);
  });

  it('an event held in one watch of a connection leaves the others and later answers alone', async () => {
    await start({ holds: [{ stream: MAPS, from: '@1', until: 'controller/delete/configmaps/default/a#0!answered' }] });
    const maps = await watch(WATCH_MAPS);
    const widgets = await watch(WATCH_WIDGETS);

    await ask(created('a'));
    await ask(created('b'));
    await ask({ method: 'POST', path: WIDGETS_PATH, headers: JSON_TYPE, body: JSON.stringify(widget('w')) });
    await vi.waitFor(() => expect(told(widgets.text())).toEqual(['ADDED w']));

    expect(told(maps.text())).toEqual(['ADDED a']);
    await ask({ method: 'DELETE', path: `${CONFIGMAPS_PATH}/a` });
    await vi.waitFor(() => expect(told(maps.text())).toEqual(['ADDED a', 'ADDED b', 'DELETED a']));
  });

  it('events of a protobuf watch are held one by one and keep their own bytes', async () => {
    const { recorder } = await start({
      holds: [{ stream: MAPS, from: '@1', until: 'controller/get/configmaps/default/a#0!answered' }],
    });
    const maps = await watch(WATCH_MAPS, { accept: `${PROTOBUF};stream=watch` });
    await ask(created('a'));
    await ask(created('b'));
    const names = (): readonly unknown[] => frames(maps.bytes()).map((frame) => nameIn(frame));

    await vi.waitFor(() => expect(names()).toEqual(['a']));
    await ask({ path: `${CONFIGMAPS_PATH}/a` });

    await vi.waitFor(() => expect(names()).toEqual(['a', 'b']));
    expect(recorder.deliveries.map(({ k, object }) => `${k} ${object?.metadata.name}`)).toEqual(['0 a', '1 b']);
  });

  it('a held request reaches the server when it is released', async () => {
    const get = 'controller/get/configmaps/default/a#0!answered';
    const { server } = await start({
      holds: [{ stream: 'controller/create/configmaps/default/b#0!sent', from: '@0', until: get }],
    });
    const b = ask(created('b'));
    await ask(created('a'));
    expect(server.object('configmaps', 'default', 'b')).toBeUndefined();

    await ask({ path: `${CONFIGMAPS_PATH}/a` });

    expect((await b).code).toBe(201);
  });

  it.each(['HTTP/1.1', 'HTTP/2'])('an answer is lost after the server has acted, over %s', async (protocol) => {
    const { server, front } = await start({
      faults: [{ at: 'controller/create/configmaps/default/a#0!answered', do: 'lose-response' }],
    });
    const question = { ...created('a'), token: FRONT_TOKEN };

    const answer = protocol === 'HTTP/2' ? ask(question) : askHttp1(front.url, question);

    await expect(answer).rejects.toThrow(protocol === 'HTTP/2' ? 'NGHTTP2_INTERNAL_ERROR' : 'read ECONNRESET');
    expect(server.object('configmaps', 'default', 'a')).toBeDefined();
  });

  it.each([
    ['HTTP/1.1', 'read ECONNRESET'],
    ['HTTP/2', 'Stream closed with error code NGHTTP2_INTERNAL_ERROR'],
  ])('a watch over %s breaks off with an error, after what was told before', async (protocol, error) => {
    const { front, recorder } = await start({
      holds: [{ stream: MAPS, from: '@0', until: 'controller/create/configmaps/default/b#0!answered' }],
      faults: [{ at: `${MAPS}/b@1`, do: 'lose-response' }],
    });
    const stream =
      protocol === 'HTTP/2' ? openStream(over as ClientHttp2Session, WATCH_MAPS) : openClosing(front.url, WATCH_MAPS);
    await vi.waitFor(() => expect(recorder.operations.map(({ outcome }) => outcome.type)).toEqual(['ok']));

    await ask(created('a'));
    await ask(created('b'));

    await vi.waitFor(() => expect(stream.error()).toBe(error));
    expect(stream.text()).toContain('"name":"a"');
    expect(stream.text()).not.toContain('"name":"b"');
  });

  it('a refused connection never reaches the server', async () => {
    const { server } = await start({ faults: [{ at: 'controller/create/configmaps/default/a#0!sent', do: 'refuse' }] });

    await expect(ask(created('a'))).rejects.toThrow('NGHTTP2_INTERNAL_ERROR');

    expect(server.object('configmaps', 'default', 'a')).toBeUndefined();
  });

  it('an overloaded server is played in the form that is asked for', async () => {
    const at = 'controller/get/configmaps/default/a#0!sent';
    await start({ faults: [{ at, times: 2, do: 'fail', status: 429, retryAfterSeconds: 1 }] });

    const text = await ask({ path: `${CONFIGMAPS_PATH}/a` });
    const binary = await ask({ path: `${CONFIGMAPS_PATH}/a`, headers: { accept: `${PROTOBUF},application/json` } });

    expect(text).toMatchObject({ code: 429 });
    expect(text.headers).toEqual(expect.arrayContaining(['retry-after', '1']));
    expect(JSON.parse(text.body.toString())).toMatchObject({ kind: 'Status', reason: 'TooManyRequests' });
    expect(decodeProtobuf(binary.body)).toMatchObject({ body: { kind: 'Status', reason: 'TooManyRequests' } });
  });

  it('a watch is closed, or told that it is too old, instead of an event', async () => {
    const again = 'controller/watch/configmaps/default#1';
    await start({
      faults: [
        { at: `${MAPS}/a@0`, do: 'close-watch' },
        { at: `${again}/b@0`, do: 'expire-watch' },
      ],
    });
    const first = await watch(WATCH_MAPS);
    const { body } = await ask(created('a'));
    const { metadata } = JSON.parse(body.toString()) as { metadata: { resourceVersion: string } };
    await vi.waitFor(() => expect(first.ended()).toBe(true));
    const second = await watch(`${CONFIGMAPS_PATH}?watch=true&resourceVersion=${metadata.resourceVersion}`);
    await ask(created('b'));

    await vi.waitFor(() => expect(second.ended()).toBe(true));
    expect(first.text()).toBe('');
    expect(told(second.text())).toEqual(['ERROR 410']);
  });

  it('a list that takes any version is answered from a past that was true', async () => {
    const { server, recorder } = await start({
      faults: [{ at: 'controller/list/configmaps/default/*#0!sent', do: 'stale-list', behind: 1 }],
    });
    server.observe((change) => recorder.committed(change));
    await ask(created('a'));
    await ask(created('b'));

    const { body } = await ask({ path: `${CONFIGMAPS_PATH}?resourceVersion=0` });

    const { items } = JSON.parse(body.toString()) as { items: { metadata: { name: string } }[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a']);
  });

  it('a watch that is held for too much is closed after what was still kept', async () => {
    await start(
      { holds: [{ stream: MAPS, from: '@0', until: 'controller/get/configmaps/default/n-0#0!sent' }] },
      {
        watchBytesMax: 2_000,
      },
    );
    const maps = await watch(WATCH_MAPS);
    for (let n = 0; n < 30; n++) await ask(created(`n-${n}`));
    expect(maps.ended()).toBe(false);

    await ask({ path: `${CONFIGMAPS_PATH}/n-0` });

    await vi.waitFor(() => expect(maps.ended()).toBe(true));
    const names = told(maps.text());
    expect(names.length).toBeGreaterThan(1);
    expect(names.length).toBeLessThan(30);
    expect(names).toEqual(names.map((_, n) => `ADDED n-${n}`));
  });

  it('a server that is gone breaks the request off', async () => {
    const { front } = await start();
    await rig?.closeServer();

    await expect(askHttp1(front.url, { path: '/version', token: FRONT_TOKEN })).rejects.toThrow('socket hang up');
    await expect(ask({ path: WATCH_MAPS })).rejects.toThrow('NGHTTP2_INTERNAL_ERROR');
  });
});

function frames(bytes: Buffer): readonly Buffer[] {
  const list: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    list.push(bytes.subarray(at, end));
    at = end;
  }
  return list;
}

function nameIn(frame: Buffer): unknown {
  const message = decodeProtobuf(decodeFrame(frame).object);
  return 'body' in message ? (message.body['metadata'] as { readonly name?: string }).name : message.error;
}
