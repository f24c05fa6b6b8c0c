import { readFile } from 'node:fs/promises';
import type { Context } from './widget.ts';
import { followWidgets } from './widget.ts';

export default function start(context: Context): void {
  followWidgets(context, () => {
    void readFile(import.meta.filename);
  });
}
