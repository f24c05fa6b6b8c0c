import { describe, expect, it } from 'vitest';
import { webhookServices } from './webhook-services.ts';

describe('webhook services', () => {
  it('are found by name, and by port where one is given', () => {
    const resolve = webhookServices(['a/b=127.0.0.1:1', 'a/b:8443=[::1]:2']);
    const ask = (name: string, port: number): string | undefined =>
      resolve({ namespace: 'a', name, port, exists: true, clusterIp: '' });
    expect([ask('b', 443), ask('b', 8443), ask('c', 443)]).toEqual(['127.0.0.1:1', '[::1]:2', undefined]);
  });
});
