/**
 * The address of another module of the harness, for what is started by path: workers and helper programs.
 *
 * In a clone they are `.ts`; the package holds them compiled, because Node strips no types below `node_modules`.
 */

/**
 * @param from - `import.meta.url` of the module that asks.
 * @param path - Relative to it, with the ending of the source: `./worker.ts`.
 */
export function ownModule(from: string, path: string): URL {
  return new URL(from.endsWith('.ts') ? path : path.replace(/\.ts$/, '.js'), from);
}
