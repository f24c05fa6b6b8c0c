/** Computes where the columns of a story begin: one per actor and one for the API server. */
import { roleOf, type ActorId } from '../model/actor.ts';
import type { Story } from './story.ts';

export interface Columns {
  /** Start of each actor's column; empty if the columns do not fit, in which case each row begins with the actor's name. */
  readonly actors: ReadonlyMap<ActorId, number>;
  /** Start of the API server's column. */
  readonly server: number;
}

/** Width of the column with a row's number. */
export const NUMBER_WIDTH = 4;
/** Width of the shortest arrow, with a space on either side: ` ─▶ `. */
export const ARROW_WIDTH = 4;

/** Minimum width of an actor's column. Wider requests extend to the right: the start of a row shows its actor. */
const ACTOR_MIN = 12;
const LAST_ACTOR_MAX = 48;
const SERVER_MIN = 18;
const SERVER_MAX = 36;

/** Computes the columns of a story. If space is short, all actors but the last get narrower columns first. */
export function columnsOf(story: Story, width: number): Columns {
  const needs = story.actors.map((actor) => contentWidth(story, actor));
  const server = Math.min(SERVER_MAX, Math.max(SERVER_MIN, answerWidth(story)));
  const room = width - NUMBER_WIDTH - server;
  const earlier = needs.slice(0, -1);
  const last = Math.min(needs.at(-1) ?? 0, LAST_ACTOR_MAX, room - earlier.length * ACTOR_MIN);
  const share = earlier.length === 0 ? 0 : Math.floor((room - last) / earlier.length);
  if (last < headOf(story.actors.at(-1) ?? '').length || (earlier.length > 0 && share < ACTOR_MIN)) {
    return { actors: new Map(), server: Math.floor(width * 0.62) };
  }
  const actors = new Map<ActorId, number>();
  let column = NUMBER_WIDTH;
  story.actors.forEach((actor, index) => {
    actors.set(actor, column);
    column += index < earlier.length ? Math.max(ACTOR_MIN, Math.min(share, needs[index] ?? 0)) : last;
  });
  return { actors, server: column };
}

/** Returns the heading of an actor's column, such as `controller (has seen)`: the target's column also shows what it had received. */
export function headOf(actor: ActorId): string {
  return roleOf(actor) === 'target' ? `${actor} (has seen)` : actor;
}

/** Returns the width that an actor's rows need, including a short arrow after each request with an answer. */
function contentWidth(story: Story, actor: ActorId): number {
  let width = headOf(actor).length + 1;
  for (const row of story.rows) {
    if (row.row === 'seen' && row.actor === actor) width = Math.max(width, row.text.length + 1);
    if (row.row === 'operation' && row.actor === actor) {
      width = Math.max(width, row.request.length + (row.answer === undefined ? 1 : ARROW_WIDTH));
    }
  }
  return width;
}

function answerWidth(story: Story): number {
  let width = 0;
  for (const row of story.rows) {
    if (row.row === 'operation' && row.answer !== undefined) width = Math.max(width, row.answer.length + 2);
  }
  return width;
}
