/** Assigns stories and times to sessions. */
import type { Random } from "./random.ts";
import type { Story, Word } from "./stories.ts";

export interface PlannedSession {
  story: Story;
  words: Record<string, Word>;
  /** A ticket number that keeps titles unique after all word combinations of a story were used. */
  ticket?: number;
  /** The index in the plan of the session that it forks. */
  forkOf?: number;
}

/** In each group of this many sessions, one is a fork of a session that is older by `PARENT_DISTANCE`. */
const FORK_INTERVAL = 20;
const FORK_OFFSET = 6;
const PARENT_DISTANCE = 3;

/** The plan of the sessions, newest first. The newest has the first story; then the stories alternate. */
export function planSessions(stories: readonly Story[], sessions: number, random: Random): PlannedSession[] {
  const takes = new Map(stories.map((story) => [story, wordCombinations(story, random)]));
  const used = new Map<Story, number>();
  const next = (story: Story): PlannedSession => {
    const time = used.get(story) ?? 0;
    used.set(story, time + 1);
    const all = takes.get(story) ?? [];
    const words = all[time % all.length] ?? {};
    return time < all.length ? { story, words } : { story, words, ticket: 400 + time };
  };
  const forkable = stories.filter(({ fork }) => fork);
  const turns = inTurn(stories, random);
  const parents = inTurn(forkable, random);
  const planned: PlannedSession[] = [];
  for (let place = 0; place < sessions; place++) {
    const isParent = place % FORK_INTERVAL === FORK_OFFSET + PARENT_DISTANCE;
    const chosen = next((isParent ? parents : turns).next().value);
    planned.push(chosen);
    const fork = place - PARENT_DISTANCE;
    if (isParent) planned[fork] = { ...chosen, forkOf: place };
  }
  return planned;
}

/** Cycles through the stories, shuffled from the second round on. */
function* inTurn(stories: readonly Story[], random: Random): Generator<Story, never> {
  for (let round = 0; ; round++) yield* round === 0 ? stories : shuffled(stories, random);
}

/** All combinations of a story's words. The first is the one that the story was written for; the others are shuffled. */
function wordCombinations({ vary }: Story, random: Random): Record<string, Word>[] {
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

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS = 300;

/**
 * `count` times before `now`, in Unix milliseconds, newest first: the first an hour ago, the last ten months ago, denser
 * towards now, and mostly within working hours.
 */
export function generateEndTimes(now: number, count: number, random: Random): number[] {
  const latest = now - HOUR;
  const moments = Array.from({ length: count }, (_, index) => {
    if (index === 0) return latest;
    if (index === count - 1) return latest - DAYS * DAY;
    const age = DAYS * DAY * (index / count) ** 1.5;
    return Math.min(workingHour(latest - age, random), latest - HOUR - random.between(0, 90 * 60_000));
  });
  return moments.sort((a, b) => b - a);
}

/** A time on the same day, or usually on the Friday before a weekend. */
function workingHour(moment: number, random: Random): number {
  const day = moment - (moment % DAY);
  const weekday = new Date(day).getUTCDay();
  const back = random.float() < 0.8 ? { 6: 1, 0: 2 }[weekday] : undefined;
  return day - (back ?? 0) * DAY + random.between(8 * 60, 19 * 60) * 60_000 + random.between(0, 59_999);
}
