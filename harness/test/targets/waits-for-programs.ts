/** Runs another program to completion while it starts. */
import { execFileSync } from 'node:child_process';
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default function start(context: Context): void {
  try {
    execFileSync('kubectl', ['get', 'nodes']);
  } catch {
    // Any error is ignored.
  }
  followWidgets(context, () => {});
}
