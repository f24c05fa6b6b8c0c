/** Starts a program once it sees a Widget. */
import { spawn } from 'node:child_process';
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default function start(context: Context): void {
  followWidgets(context, () => {
    spawn('kubectl', ['get', 'nodes']);
  });
}
