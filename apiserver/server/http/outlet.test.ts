import { expect, it } from 'vitest';
import type { KubeObject } from '../../objects/object.ts';
import type { WatchEvent } from '../../objects/watch-event.ts';
import type { Exchange } from './exchange.ts';
import { Outlet } from './outlet.ts';

interface Narrow {
  readonly outlet: Outlet;
  readonly written: string[];
  readonly encoded: string[];
  /** Makes the connection accept `count` more chunks. */
  readonly take: (count: number) => void;
}

function narrow(): Narrow {
  const written: string[] = [];
  const encoded: string[] = [];
  let room = 0;
  let drained = (): void => {};
  const exchange = {
    get full(): boolean {
      return room === 0;
    },
    write: (piece: string) => {
      room -= 1;
      written.push(piece);
    },
    onDrain: (listener: () => void) => (drained = listener),
    end: () => written.push('end'),
  } as unknown as Exchange;
  const encode = ({ object }: WatchEvent): string => {
    const { name = '' } = (object as KubeObject).metadata;
    encoded.push(name);
    return name;
  };
  const take = (count: number): void => {
    room += count;
    drained();
  };
  return { outlet: new Outlet(exchange, { type: '', encode }), written, encoded, take };
}

function event(name: string): WatchEvent {
  return { type: 'ADDED', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name } } };
}

it('buffers events until the client takes them, in order (95)', () => {
  const { outlet, written, encoded, take } = narrow();
  for (const name of ['a', 'b', 'c']) outlet.send(event(name));
  expect([outlet.waiting, encoded]).toEqual([3, []]);

  take(2);
  expect([outlet.waiting, written]).toEqual([1, ['a', 'b']]);
  outlet.send(event('d'));
  take(5);
  expect([outlet.waiting, written]).toEqual([0, ['a', 'b', 'c', 'd']]);
  outlet.send(event('e'));
  expect(written.at(-1)).toBe('e');
});

it('ends after the buffered events', () => {
  const { outlet, written, take } = narrow();
  outlet.send(event('a'));
  outlet.end();
  expect(written).toEqual([]);

  take(1);
  expect(written).toEqual(['a', 'end']);
});
