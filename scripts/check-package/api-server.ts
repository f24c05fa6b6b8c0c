/**
 * Tests the package of the API server, installed into an empty project: its types, and the example of its page as a test of that project.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_SERVER_FOLDER, API_SERVER_PACKAGE } from '../api-server-package.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { expectText, step } from './steps.ts';

const EXAMPLE = 'example.test.ts';

/** The name with the version that this repository uses. */
function pinned(name: string): string {
  const { version } = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'node_modules', name, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return `${name}@${version}`;
}

export function checkApiServer(scratch: string): void {
  const project = join(scratch, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }\n');
  step(['npm', 'pack', '--silent', '--workspace', API_SERVER_FOLDER, '--pack-destination', scratch], REPOSITORY_ROOT);
  const tarball = readdirSync(scratch).find((name) => name.startsWith(API_SERVER_PACKAGE)) ?? '';
  const others = ['@kubernetes/client-node', 'vitest', 'typescript'].map(pinned);
  step(['npm', 'install', '--prefer-offline', '--loglevel=error', join(scratch, tarball), ...others], project);
  cpSync(join(REPOSITORY_ROOT, API_SERVER_FOLDER, EXAMPLE), join(project, EXAMPLE));
  // The declarations of client-node do not compile without `--skipLibCheck`.
  step(['npx', 'tsc', '--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', EXAMPLE], project);
  expectText(step(['npx', 'vitest', 'run'], project).out, /1 passed/, 'the example');
}
