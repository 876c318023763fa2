/** Which session tells which story. */
import type { Random } from "./random.ts";
import type { Story, Word } from "./stories.ts";

export interface Planned {
  story: Story;
  words: Record<string, Word>;
  /** Told before all it says, where the words of the story were used up. */
  ticket?: number;
  /** The place in the plan of the session that it is a fork of. */
  forkOf?: number;
}

/** Every so many sessions one is a fork, of a session that many before it. */
const FORK_EVERY = 20;
const FORK_AT = 6;
const PARENT_BEFORE = 3;

/** So many sessions, the newest first. The newest tells the first story; then the stories take turns. */
export function plan(stories: readonly Story[], sessions: number, random: Random): Planned[] {
  const takes = new Map(stories.map((story) => [story, takesOf(story, random)]));
  const used = new Map<Story, number>();
  const next = (story: Story): Planned => {
    const time = used.get(story) ?? 0;
    used.set(story, time + 1);
    const all = takes.get(story) ?? [];
    const words = all[time % all.length] ?? {};
    return time < all.length ? { story, words } : { story, words, ticket: 400 + time };
  };
  const forkable = stories.filter(({ fork }) => fork);
  const turns = inTurn(stories, random);
  const parents = inTurn(forkable, random);
  const planned: Planned[] = [];
  for (let place = 0; place < sessions; place++) {
    const isParent = place % FORK_EVERY === FORK_AT + PARENT_BEFORE;
    const chosen = next((isParent ? parents : turns).next().value);
    planned.push(chosen);
    const fork = place - PARENT_BEFORE;
    if (isParent) planned[fork] = { ...chosen, forkOf: place };
  }
  return planned;
}

/** The stories one after another; from the second round on in another order each time. */
function* inTurn(stories: readonly Story[], random: Random): Generator<Story, never> {
  for (let round = 0; ; round++) yield* round === 0 ? stories : shuffled(stories, random);
}

/** All combinations of what varies in a story; the first is the one its words were written for. */
function takesOf({ vary }: Story, random: Random): Record<string, Word>[] {
  let takes: Record<string, Word>[] = [{}];
  for (const [key, values] of Object.entries(vary)) {
    takes = takes.flatMap((take) => values.map((value) => ({ ...take, [key]: value })));
  }
  return [...takes.slice(0, 1), ...shuffled(takes.slice(1), random)];
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, order: random.float() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}
