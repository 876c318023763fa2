/** A root to try pidex on: the sessions of a small company, none of which ever happened. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { PidexError } from "../../library/index.ts";
import { FIRST_MODELS, MODELS } from "./models.ts";
import { momentsBefore } from "./moments.ts";
import { type Planned, plan } from "./plan.ts";
import { type Random, randomOf } from "./random.ts";
import {
  type Entry,
  type Fields,
  type RunTold,
  SessionEntries,
  type SubagentRun,
} from "./session-entries.ts";
import { fileNameOf, sessionIdOf, writeSession } from "./session-file.ts";
import { closingOf, fill, READMES, STORIES, type Step } from "./stories.ts";

export interface DemoOptions {
  /** How many, those of subagents not counted. Default: 300. */
  sessions?: number;
  /** The newest session ended an hour before; default: the clock's. */
  now?: Date;
  /** The same seed, time and folder give the same bytes. Default: 1. */
  seed?: number;
}

export interface Demo {
  /** The folder of the session files. */
  root: string;
  /** The working folders of the sessions. */
  projects: string[];
  /** How many sessions were written, those of subagents not counted. */
  sessions: number;
}

/** The session that is broken, and those that are pinned, by their places among all, the newest being 0. */
const TORN = 17;
const PINNED = [4, 33, 120];

/**
 * Writes sessions to `<folder>/sessions`, and the folders they were worked in to `<folder>/home/ada`.
 *
 * @throws PidexError `BAD_OPTION` when there are sessions already; as Node's file functions
 */
export function writeDemo(folder: string, { sessions = 300, now, seed = 1 }: DemoOptions = {}): Demo {
  const root = resolve(folder, "sessions");
  if (existsSync(root)) {
    throw new PidexError("BAD_OPTION", `folder already exists: ${root}`, "Choose a new or empty folder.");
  }
  const random = randomOf(seed);
  const planned = plan(STORIES, sessions, random);
  const ends = momentsBefore(now?.getTime() ?? Date.now(), sessions, random);
  const home = resolve(folder, "home", "ada");
  mkdirSync(root, { recursive: true });
  const projects = [...new Set(planned.map(({ story }) => story.project))];
  for (const project of projects) makeProject(join(home, project), project);

  const written = new Map<number, Written>();
  for (let place = sessions - 1; place >= 0; place--) {
    const { story, forkOf } = planned[place] as Planned;
    const parent = forkOf === undefined ? undefined : written.get(forkOf);
    const told = tellSession(planned[place] as Planned, {
      end: ends[place] as number,
      seed: random.between(1, 2 ** 31),
      cwd: join(home, story.project),
      folder: join(root, `--home-ada-${story.project}--`),
      torn: place === TORN,
      pinned: PINNED.includes(place),
      ...(parent && { parent }),
    });
    written.set(place, told);
  }
  return { root, projects: projects.map((project) => join(home, project)), sessions };
}

function makeProject(folder: string, project: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "README.md"), READMES[project] ?? "");
}

/** A session that was written, for those that are forked from it. */
interface Written {
  path: string;
  entries: readonly Entry[];
  end: number;
}

interface Place {
  end: number;
  seed: number;
  cwd: string;
  /** Where the project's session files lie. */
  folder: string;
  torn: boolean;
  pinned: boolean;
  parent?: Written;
}

/** Tells it twice: how long it takes is known only when it is told, and it is to end at its moment. */
function tellSession(planned: Planned, place: Place): Written {
  const from = (start: number) => tellFrom(start, planned, place);
  const length = from(0).end;
  const start = Math.round(Math.max(place.end - length, place.parent ? place.parent.end + 60_000 : 0));
  const { id, end, entries, runs } = from(start);
  const path = join(place.folder, fileNameOf(start, id));
  const { cwd, parent, torn } = place;
  writeSession({ path, id, start, cwd, entries, end, torn, ...(parent && { parentSession: parent.path }) });
  for (const run of runs) run();
  return { path, entries, end };
}

function tellFrom(start: number, planned: Planned, { seed, cwd, folder, pinned, parent }: Place) {
  const { story, words, ticket, forkOf } = planned;
  const random = randomOf(seed);
  const id = sessionIdOf(start, random);
  const nested = join(folder, fileNameOf(start, id).replace(/\.jsonl$/, ""));
  const runs: (() => void)[] = [];
  const run = (task: SubagentRun): RunTold => {
    const { write, told } = tellRun(task, join(nested, `run-${runs.length}`), cwd, random);
    runs.push(write);
    return told;
  };
  const copied = parent ? copiedFrom(parent.entries) : [];
  const session = new SessionEntries({ random, start, model: random.pick(FIRST_MODELS), copied, run });
  const fork = forkOf === undefined ? undefined : story.fork;
  const steps = fill(fork?.steps ?? story.steps, words, random);
  session.tell(fork ? steps : withTicket(steps, ticket));
  if (random.float() < 0.6) session.tell(closingOf(story, random));
  organise(session, planned, { name: fork?.name, pinned }, random);
  return { id, end: session.end, entries: session.entries, runs };
}

/** Names it, tags it and pins it, as its owner might have. */
function organise(
  session: SessionEntries,
  { story, words, ticket }: Planned,
  own: { name: string | undefined; pinned: boolean },
  random: Random,
): void {
  const number = ticket === undefined ? "" : `#${ticket}: `;
  const name = own.name ?? story.name;
  if (name !== undefined) session.add("session_info", { name: number + fill(name, words, random) }, 6);
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

/** What a fork has of its parent, as pi copies it: the path to the last answer, without labels. */
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

/** A subagent's session, to be written to `folder`, and what its caller is told. */
function tellRun(run: SubagentRun, folder: string, cwd: string, random: Random) {
  const { start, agent, task, model, steps, answer } = run;
  const nothing = () => {
    throw new Error("a subagent of the demo calls none itself");
  };
  const session = new SessionEntries({ random, start, model, run: nothing });
  session.tell([["user", `Task: ${task}`], ...steps, ["answer", answer]]);
  const { entries, end } = session;
  const id = sessionIdOf(start, random);
  const path = join(folder, fileNameOf(start, id));
  const usage = spent(entries);
  const tokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  const toolCount = steps.filter(([kind]) => TOOL_CALLS.has(kind)).length;
  const result: Fields = {
    agent,
    task,
    exitCode: 0,
    model: MODELS[model].id,
    usage,
    progressSummary: { toolCount, tokens, durationMs: end - start },
    sessionFile: path,
  };
  const write = () => writeSession({ path, id, start, cwd, entries, end });
  return { write, told: { result, end } };
}

/** The steps that call a tool. */
const TOOL_CALLS = new Set<Step[0]>(["bash", "failing", "read", "missing", "grep", "write", "edit"]);

/** What the answers cost together, as subagents report it. */
function spent(entries: readonly Entry[]) {
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
