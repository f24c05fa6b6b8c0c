import { describe, expect, it } from 'vitest';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { canonicalJson, specHash } from './spec-hash.ts';

function widget(spec: JsonValue | undefined): KubeObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a' },
    ...(spec === undefined ? {} : { spec }),
  };
}

describe('specHash', () => {
  it('does not depend on the order of keys', () => {
    expect(specHash(widget({ replicas: 3, image: 'v1' }))).toBe(specHash(widget({ image: 'v1', replicas: 3 })));
  });

  it('tells specs apart', () => {
    const hashes = Array.from({ length: 200 }, (_, replicas) => specHash(widget({ replicas })));

    expect(new Set(hashes).size).toBe(200);
  });

  it('minds the order of lists', () => {
    expect(specHash(widget({ items: [1, 2] }))).not.toBe(specHash(widget({ items: [2, 1] })));
  });

  it('names kinds without a spec', () => {
    expect(specHash(widget(undefined))).toBe('no-spec');
  });
});

describe('canonicalJson', () => {
  it('sorts keys at every depth and leaves out what is undefined', () => {
    expect(canonicalJson({ b: { d: 1, c: undefined, a: [null, 'x'] }, a: true })).toBe(
      '{"a":true,"b":{"a":[null,"x"],"d":1}}',
    );
  });
});
