/** Finds the line of user code that called the harness. */
import { fileURLToPath } from 'node:url';
import { sourcePath } from './source-path.ts';

const HARNESS = fileURLToPath(new URL('..', import.meta.url));
/** The harness's own test targets count as user code. */
const TEST_TARGETS = fileURLToPath(new URL('../test/', import.meta.url));
/** The number of stack frames to capture: enough to reach the calling line from deep inside a library. */
const FRAMES_MAX = 40;

/** Reports whether a path belongs to the harness itself. */
export function isHarness(path: string): boolean {
  return path.startsWith(HARNESS) && !path.startsWith(TEST_TARGETS);
}

/** Returns `file:line` of the innermost frame outside Node and this harness, preferably outside packages too. */
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
