/**
 * The URL of another module of the harness, for modules that are started by path: workers and helper programs.
 *
 * In a clone they are `.ts` files. The package contains compiled files, because Node does not strip types below `node_modules`.
 */

/**
 * @param from - `import.meta.url` of the calling module.
 * @param path - Relative to `from`, with the extension of the source: `./worker.ts`.
 */
export function ownModule(from: string, path: string): URL {
  return new URL(from.endsWith('.ts') ? path : path.replace(/\.ts$/, '.js'), from);
}
