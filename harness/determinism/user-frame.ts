/** The line of somebody's code that the harness is called from. */
import { fileURLToPath } from 'node:url';
import { sourcePath } from './source-path.ts';

const HARNESS = fileURLToPath(new URL('..', import.meta.url));
/** Targets that the harness tests itself with are targets like any other. */
const TEST_TARGETS = fileURLToPath(new URL('../test/', import.meta.url));
/** Deep enough to get from the bottom of a library to the line that called it. */
const FRAMES_MAX = 40;

/** Whether a path is the harness's own. */
export function isHarness(path: string): boolean {
  return path.startsWith(HARNESS) && !path.startsWith(TEST_TARGETS);
}

/** `file:line` of the innermost frame outside Node and this harness; one outside packages is preferred. */
export function userFrame(): string | undefined {
  const before = {
    prepareStackTrace: Reflect.get(Error, 'prepareStackTrace') as unknown,
    stackTraceLimit: Error.stackTraceLimit,
  };
  Object.assign(Error, { prepareStackTrace: keepFrames, stackTraceLimit: FRAMES_MAX });
  const frames = new Error('where').stack as unknown as readonly NodeJS.CallSite[];
  Object.assign(Error, before);
  let inPackage: string | undefined;
  for (const frame of frames) {
    const file = frame.getFileName();
    if (file === null || file === undefined || file.startsWith('node:')) continue;
    const path = sourcePath(file);
    if (isHarness(path) && !path.endsWith('.test.ts')) continue;
    const where = `${path}:${frame.getLineNumber() ?? 0}`;
    if (!path.includes('node_modules')) return where;
    inPackage ??= where;
  }
  return inPackage;
}

function keepFrames(_error: unknown, frames: unknown): unknown {
  return frames;
}
