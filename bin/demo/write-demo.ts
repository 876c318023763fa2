/** Writes a root with sample sessions of a small fictional company. */
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { v7 } from "uuid";
import { PidexError } from "../../library/index.ts";
import { FIRST_MODELS, MODELS } from "./models.ts";
import { generateEndTimes, type PlannedSession, planSessions } from "./plan.ts";
import { createRandom, type Random } from "./random.ts";
import { type Entry, SessionEntries, type SessionEntriesOptions, toCall } from "./session-entries.ts";
import { fillPlaceholders, pickClosing, READMES, STORIES, type Step } from "./stories.ts";

export interface DemoOptions {
  /** Number of sessions, not counting subagents. Default: 300. */
  sessions?: number;
  /** The newest session ends an hour before this. Default: the current time. */
  now?: Date;
  /** The same seed, time and folder produce the same bytes. Default: 1. */
  seed?: number;
}

export interface Demo {
  /** The folder of the session files. */
  root: string;
  /** The working folders of the sessions. */
  projects: string[];
  /** Number of sessions written, not counting subagents. */
  sessions: number;
}

/** The truncated session and the pinned ones, by position, the newest being 0. */
const TORN_POSITION = 17;
const PINNED_POSITIONS = [4, 33, 120];

/**
 * Writes sessions to `<folder>/sessions`, and their working folders to `<folder>/home/ada`.
 *
 * @throws PidexError `BAD_OPTION` if the sessions folder exists; as Node's file functions
 */
export function writeDemo(folder: string, { sessions = 300, now, seed = 1 }: DemoOptions = {}): Demo {
  const root = resolve(folder, "sessions");
  if (existsSync(root)) {
    throw new PidexError("BAD_OPTION", `folder already exists: ${root}`, "Choose a new or empty folder.");
  }
  const random = createRandom(seed);
  const planned = planSessions(STORIES, sessions, random);
  const ends = generateEndTimes(now?.getTime() ?? Date.now(), sessions, random);
  const home = resolve(folder, "home", "ada");
  mkdirSync(root, { recursive: true });
  const projects = [...new Set(planned.map(({ story }) => story.project))];
  for (const project of projects) {
    mkdirSync(join(home, project), { recursive: true });
    writeFileSync(join(home, project, "README.md"), READMES[project] ?? "");
  }

  const written = new Map<number, Written>();
  for (let place = sessions - 1; place >= 0; place--) {
    const session = planned[place] as PlannedSession;
    const { story, forkOf = -1 } = session;
    const done = writePlanned(session, {
      end: ends[place] as number,
      seed: random.between(1, 2 ** 31),
      cwd: join(home, story.project),
      folder: join(root, `--home-ada-${story.project}--`),
      torn: place === TORN_POSITION,
      pinned: PINNED_POSITIONS.includes(place),
      parent: written.get(forkOf),
    });
    written.set(place, done);
  }
  return { root, projects: projects.map((project) => join(home, project)), sessions };
}

/** A written session, kept for its forks. */
interface Written {
  path: string;
  entries: readonly Entry[];
  end: number;
}

interface Place {
  end: number;
  seed: number;
  cwd: string;
  /** The folder of the project's session files. */
  folder: string;
  torn: boolean;
  pinned: boolean;
  parent: Written | undefined;
}

/** Generates the session twice: the first pass measures its duration, so that the second ends at the planned time. */
function writePlanned(planned: PlannedSession, place: Place): Written {
  const from = (start: number) => generate(start, planned, place);
  const length = from(0).end;
  const start = Math.round(Math.max(place.end - length, place.parent ? place.parent.end + 60_000 : 0));
  const { id, end, entries, runs } = from(start);
  const path = join(place.folder, formatFileName(start, id));
  const { cwd, parent, torn } = place;
  writeSession({ path, id, start, cwd, entries, end, torn, parentSession: parent?.path });
  for (const run of runs) run();
  return { path, entries, end };
}

function generate(start: number, planned: PlannedSession, { seed, cwd, folder, pinned, parent }: Place) {
  const { story, words, ticket, forkOf } = planned;
  const random = createRandom(seed);
  const id = createSessionId(start, random);
  const nested = join(folder, formatFileName(start, id).replace(/\.jsonl$/, ""));
  const runs: (() => void)[] = [];
  const run: SessionEntriesOptions["run"] = (step, from) => {
    const { write, ...reported } = generateRun(step, from, join(nested, `run-${runs.length}`), cwd, random);
    runs.push(write);
    return reported;
  };
  const copied = parent ? copiedFrom(parent.entries) : [];
  const session = new SessionEntries({ random, start, model: random.pick(FIRST_MODELS), copied, run });
  const fork = forkOf === undefined ? undefined : story.fork;
  const steps = fillPlaceholders(fork?.steps ?? story.steps, words, random);
  session.addSteps(fork ? steps : withTicket(steps, ticket));
  if (random.float() < 0.6) session.addSteps(pickClosing(story, random));
  addMetadata(session, planned, { name: fork?.name, pinned }, random);
  return { id, end: session.end, entries: session.entries, runs };
}

/** Adds a name, tags and a pin. */
function addMetadata(
  session: SessionEntries,
  { story, words, ticket }: PlannedSession,
  own: { name: string | undefined; pinned: boolean },
  random: Random,
): void {
  const number = ticket === undefined ? "" : `#${ticket}: `;
  const name = own.name ?? story.name;
  if (name !== undefined)
    session.add("session_info", { name: number + fillPlaceholders(name, words, random) }, 6);
  const tags = story.tags?.filter(() => random.float() < 0.75) ?? [];
  if (tags.length > 0) session.add("custom", { customType: "pidex", data: { tags } }, 9);
  if (own.pinned) session.add("custom", { customType: "pidex", data: { pinned: true } }, 3);
}

function withTicket(steps: Step[], ticket: number | undefined): Step[] {
  if (ticket === undefined) return steps;
  const first = steps.findIndex(([kind]) => kind === "user");
  return steps.map((step, index) =>
    index === first && step[0] === "user" ? ["user", `#${ticket}: ${step[1]}`] : step,
  );
}

/** The entries that pi copies to a fork: the path to the last message, without labels. */
function copiedFrom(entries: readonly Entry[]): Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path: Entry[] = [];
  let entry = entries.findLast(({ type }) => type === "message");
  while (entry) {
    if (entry.type !== "label") path.unshift(entry);
    entry = entry.parentId === null ? undefined : byId.get(entry.parentId);
  }
  return path.map((entry, index) => ({ ...entry, parentId: path[index - 1]?.id ?? null }));
}

/** A subagent's session in `folder`, and the result that its caller gets. */
function generateRun(
  [, agent, task, model, steps, answer]: Parameters<SessionEntriesOptions["run"]>[0],
  start: number,
  folder: string,
  cwd: string,
  random: Random,
) {
  const run = () => {
    throw new Error("subagents of the sample sessions must not start others");
  };
  const session = new SessionEntries({ random, start, model, run });
  session.addSteps([["user", `Task: ${task}`], ...steps, ["answer", answer]]);
  const { entries, end } = session;
  const id = createSessionId(start, random);
  const path = join(folder, formatFileName(start, id));
  const usage = sumUsage(entries);
  const tokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  const progressSummary = { toolCount: steps.filter(toCall).length, tokens, durationMs: end - start };
  const sessionModel = MODELS[model].id;
  const result = { agent, task, exitCode: 0, model: sessionModel, usage, progressSummary, sessionFile: path };
  return { result, end, write: () => writeSession({ path, id, start, cwd, entries, end }) };
}

/** The total usage of the responses, in the format that subagents report. */
function sumUsage(entries: readonly Entry[]) {
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, turns: 0 };
  for (const { message } of entries) {
    const { usage } = (message ?? {}) as { usage?: Omit<typeof sum, "cost"> & { cost: { total: number } } };
    if (!usage) continue;
    for (const kind of ["input", "output", "cacheRead", "cacheWrite"] as const) sum[kind] += usage[kind];
    sum.cost += usage.cost.total;
    sum.turns += 1;
  }
  return sum;
}

/** A session id: a UUIDv7 of the start time, as pi creates. */
function createSessionId(start: number, random: Random): string {
  return v7({ msecs: start, random: random.bytes(16), seq: random.between(0, 0x7fffffff) });
}

/** `2026-01-05T09-00-00-000Z_<id>.jsonl` */
function formatFileName(start: number, id: string): string {
  return `${new Date(start).toISOString().replace(/[:.]/g, "-")}_${id}.jsonl`;
}

interface SessionFile {
  path: string;
  id: string;
  start: number;
  cwd: string;
  parentSession?: string | undefined;
  entries: readonly Entry[];
  /** The time of the last write, in Unix milliseconds. */
  end: number;
  /** Whether the last line is truncated, as by a crash during a write. */
  torn?: boolean;
}

/** Writes a session file as pi does, with the modification time `end`. @throws as Node's file functions */
function writeSession({ path, id, start, cwd, parentSession, entries, end, torn }: SessionFile): void {
  const timestamp = new Date(start).toISOString();
  const header = { type: "session", version: 3, id, timestamp, cwd, parentSession };
  const text = [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, torn ? text.slice(0, -40) : text);
  utimesSync(path, new Date(end), new Date(end));
}
