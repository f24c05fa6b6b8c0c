/** Starts a program once it receives a widget. */
import { spawn } from 'node:child_process';
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default function start(context: Context): void {
  followWidgets(context, () => {
    spawn('kubectl', ['get', 'nodes']);
  });
}
