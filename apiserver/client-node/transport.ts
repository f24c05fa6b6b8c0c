/** How API calls of client-node travel: past `fetch`, which is about five times as fast, or through it. Watches always take `fetch`. */
export type Transport = 'http-library' | 'dispatcher';
