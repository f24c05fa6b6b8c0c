/** Shared by tests of costly requests: a server, requests with a time limit, and definitions. */
import { crdManifest, crdVersion } from '../crd/manifest.ts';
import { afterAll, beforeAll, expect } from 'vitest';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { testServer } from '../testing.ts';
import { serveHttp, type HttpServer } from './serve.ts';

let http: HttpServer;

/** Provides one server for all tests of a file. */
export function useServer(): void {
  beforeAll(async () => {
    http = await serveHttp(testServer().server);
  });
  afterAll(() => http.close());
}

/** The processor time allowed for one request: far more than any request needs, far less than a quadratic algorithm would use. */
const PROCESSOR_MS_MAX = 3000;

export interface Answer {
  readonly code: number;
  readonly message: string;
  /** The length of the message before it is truncated. */
  readonly length: number;
  readonly body: unknown;
  readonly headers: Headers;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export async function send(method: string, path: string, type: string, body: JsonValue | Buffer): Promise<Answer> {
  const before = processorMs();
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const answer = await fetch(`${http.url}${path}`, { method, headers: { 'content-type': type }, body: text });
  const json = (await answer.json()) as { readonly message?: string };
  const { message = '' } = json;
  expect(processorMs() - before).toBeLessThan(PROCESSOR_MS_MAX);
  return {
    code: answer.status,
    message: message.slice(0, 5000),
    length: message.length,
    body: json,
    headers: answer.headers,
  };
}

export const JSON_TYPE = 'application/json';
export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const APPLY = 'application/apply-patch+yaml';
export const YAML = 'application/yaml';
export const PODS = '/api/v1/namespaces/default/pods';
export const TEMPLATES = '/api/v1/namespaces/default/podtemplates';
export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export function map(count: number, make: (index: number) => readonly [string, JsonValue]): JsonObject {
  return Object.fromEntries(times(count, make));
}

export function nested(levels: number, open: string, close: string): string {
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

let kinds = 0;

/** Defines a custom kind with this schema; returns its path and the start of an object. */
export async function define(schema: JsonObject): Promise<{ readonly path: string; readonly head: JsonObject }> {
  const singular = `bound${kinds++}`;
  const names = { plural: `${singular}s`, singular, kind: singular.toUpperCase() };
  const version = crdVersion('v1', { type: 'object', properties: { spec: schema } });
  const made = await send('POST', CRDS, JSON_TYPE, crdManifest('bounds.io', names, [version]));
  expect(made).toMatchObject({ code: 201 });
  return {
    path: `/apis/bounds.io/v1/namespaces/default/${singular}s`,
    head: { apiVersion: 'bounds.io/v1', kind: singular.toUpperCase(), metadata: { name: 'one' } },
  };
}

export const FREE: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
