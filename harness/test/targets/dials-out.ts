/** Connects to a hard-coded address once it receives a widget. */
import { connect } from 'node:net';
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default function start(context: Context): void {
  followWidgets(context, () => {
    connect(9, '127.0.0.1').on('error', () => {});
  });
}
