/** How client-node's API calls are sent: past `fetch` (about five times as fast) or through it. Watches always use `fetch`. */
export type Transport = 'http-library' | 'dispatcher';
