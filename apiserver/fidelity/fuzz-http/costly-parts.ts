/**
 * Building blocks of costly requests.
 *
 * Owns: sizes, texts of many pieces, requests. Start at {@link CostlySequence}.
 */
import * as fc from 'fast-check';
import type { FuzzRequest } from './client.ts';

/** Requests that belong together: the earlier ones prepare the last one. */
export type CostlySequence = readonly FuzzRequest[];

/** kube-apiserver's limit on a body; every larger body gets the same answer. */
export const BODY_BYTES_MAX: number = 3 * 1024 * 1024;
export const NAMESPACE = '/api/v1/namespaces/default';
export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const PATCH_TYPES: readonly string[] = [
  'json-patch+json',
  'merge-patch+json',
  'strategic-merge-patch+json',
  'apply-patch+yaml',
].map((type) => `application/${type}`);

/** Sizes from one up to what fits into a body; small sizes are as frequent as large ones. */
export const size: fc.Arbitrary<number> = fc
  .double({ min: 0, max: Math.log(1_500_000), noNaN: true })
  .map((power) => Math.floor(Math.exp(power)));

/** Returns a text of `count` pieces, or of as many as fit into a body. */
export function repeated(piece: (index: number) => string, count: number, between = ','): string {
  const parts: string[] = [];
  for (let index = 0, length = 0; index < count && length < BODY_BYTES_MAX - 4096; index++) {
    const part = piece(index);
    parts.push(part);
    length += part.length + between.length;
  }
  return parts.join(between);
}

export function request(method: string, target: string, type: string, body?: string): FuzzRequest {
  return {
    area: `cost ${method} ${type}`,
    method,
    target,
    headers: body === undefined ? {} : { 'content-type': type },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  };
}

export const JSON_TYPE = 'application/json';
