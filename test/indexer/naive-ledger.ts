import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * The ledger once more, from the files themselves, as its words define it: with `JSON.parse` and loops, without SQL and
 * without anything of the indexer's. Slow, and of sessions small enough that this does not matter.
 */
export interface NaiveLedger {
  events: NaiveEvent[];
  /** What own events add up to, by quarter of an hour, file and series. */
  rollup: Map<string, number[]>;
}

type Fields = Record<string, unknown>;

export interface NaiveEvent {
  path: string;
  line: number;
  ordinal: number;
  kind: string;
  attribution: "owner" | "duplicate" | "reported";
  /** What copies of it have in common, and strangers may; null without a time. */
  same: string | null;
  /** The act it is of: the same object in all copies. */
  act: object;
  /** The entry's id, and whether it is the same in all copies. */
  id: unknown;
  hasStableId: boolean;
  text: string;
  time: number | null;
  model: string;
  agent: string;
  tool: string;
  stop: string;
  current: boolean;
  billed: boolean;
  /** input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning, cost, the provider's */
  figures: number[];
  /** Milliseconds since the message before it, where that is known. */
  elapsed: number;
  /** The runs that spent it: the paths under which each one's session may lie. */
  runs: string[][];
}

interface File {
  path: string;
  created: number;
  id: string;
  parent: string;
  /** Its first entry: when and what it is, and its id. */
  first: [place: string, id: unknown] | undefined;
  events: NaiveEvent[];
  calls: Call[];
}

interface Call {
  name: string;
  by: NaiveEvent;
  answered: boolean;
  failed: boolean;
  elapsed: number;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const timeOf = (value: unknown): number | null => {
  const time = typeof value === "string" ? Date.parse(value) : unixTime(value);
  return Number.isNaN(time) ? null : time;
};

/** A number below the year 1973 in milliseconds is in seconds, if it is a time at all. */
const unixTime = (value: unknown): number =>
  typeof value !== "number" || value < 1e8 ? Number.NaN : Math.trunc(value < 1e11 ? value * 1000 : value);

export function naiveLedger(root: string): NaiveLedger {
  const files = sessionPaths(root).flatMap((path) => readFile(path) ?? []);
  const events = files.flatMap((file) => file.events);
  const families = familiesOf(files);
  // Without a time each is one of its own.
  for (const places of Map.groupBy(events, (event) => event.same ?? event).values()) {
    splitByAct(places, files, families);
  }
  for (const places of Map.groupBy(events, (event) => event.act).values()) settle(places, files);
  const rollup: NaiveLedger["rollup"] = new Map();
  const count = (event: NaiveEvent, figures: number[], { kind, agent, tool } = event) => {
    const { path, model, stop, current, attribution } = event;
    if (attribution !== "owner") return;
    const name = [quarter(event.time), path, kind, model, agent, tool, stop, current].join(" | ");
    const before = rollup.get(name);
    rollup.set(
      name,
      figures.map((figure, n) => figure + (before?.[n] ?? 0)),
    );
  };
  for (const event of events) {
    const { kind, billed, figures, elapsed } = event;
    const kinds = ["assistant", "user", "compaction"].map((name) => Number(kind === name));
    const waits = [kind === "assistant" ? elapsed : 0, kind === "user" ? elapsed : 0];
    count(event, [Number(billed), ...kinds, ...figures, ...waits, 0, 0, 0, 0]);
  }
  for (const { name, by, answered, failed, elapsed } of files.flatMap((file) => file.calls)) {
    const figures = [1, Number(answered), Number(failed), elapsed];
    count(by, [...Array(14).fill(0), ...figures], { ...by, kind: "call", agent: "", tool: name });
  }
  return { events, rollup };
}

/** The begin of the quarter of an hour, or no time. */
function quarter(time: number | null): string {
  return time === null ? "never" : new Date(Math.floor(time / 900_000) * 900_000).toISOString();
}

function sessionPaths(root: string): string[] {
  return (readdirSync(root, { recursive: true }) as string[])
    .map((name) => join(root, name))
    .filter((path) => path.endsWith(".jsonl") && existsSync(path) && statSync(path).isFile());
}

// Who is related

/** A name for the family of each path. */
function familiesOf(files: readonly File[]): Map<string, string> {
  const family = new Map(files.map(({ path }) => [path, path]));
  const paths = new Set(files.map(({ path }) => path));
  const areRelated = (a: File, b: File) =>
    (a.id !== "" && (a.id === b.id || a.id === idIn(b.parent))) ||
    (b.id !== "" && b.id === idIn(a.parent)) ||
    (a.parent !== "" && (a.parent === b.path || a.parent === b.parent)) ||
    (b.parent !== "" && b.parent === a.path) ||
    (idIn(a.parent) !== undefined && idIn(a.parent) === idIn(b.parent)) ||
    comesFrom(a, b) ||
    comesFrom(b, a);
  const comesFrom = (fork: File, { path }: File) =>
    fork.parent !== "" && !paths.has(fork.parent) && basename(fork.parent) === basename(path);
  for (const a of files) {
    for (const b of files) {
      const [one, other] = [family.get(a.path), family.get(b.path)] as [string, string];
      if (one === other || !areRelated(a, b)) continue;
      for (const [path, name] of family) if (name === other) family.set(path, one);
    }
  }
  return family;
}

const idIn = (path: string): string | undefined =>
  /^\d{4}-\d\d-\d\dT[\d-]+Z_(.+)\.jsonl$/.exec(basename(path))?.[1];

/** Says which of some places with the same time, model and figures are of one act. */
function splitByAct(
  places: readonly NaiveEvent[],
  files: readonly File[],
  families: Map<string, string>,
): void {
  const fileOf = (path: string) => files.find((file) => file.path === path) as File;
  const inOrder = places.toSorted((a, b) => (isEarlier(a, b, fileOf) ? -1 : 1));
  const acts: NaiveEvent[][] = [];
  const lineOf = ({ path, id, text }: NaiveEvent) => JSON.stringify([path, id, id === null ? text : ""]);
  const lines = Map.groupBy(inOrder, lineOf);
  for (const path of new Set(inOrder.map((place) => place.path))) {
    const theirs = [...lines.values()].filter(([line]) => line?.path === path);
    const free = (act: NaiveEvent[]) => !act.some((place) => place.path === path);
    const left = theirs.filter((line) => {
      const [{ id, hasStableId } = line[0] as NaiveEvent] = line;
      const act = acts.find(
        (act) => hasStableId && free(act) && act.some((place) => place.hasStableId && place.id === id),
      );
      act?.push(...line);
      return !act;
    });
    for (const line of left) {
      const [place] = line as [NaiveEvent];
      const act = acts.find((act) => {
        const relatives = act.filter((other) => families.get(other.path) === families.get(path));
        const rivals = relatives.filter((other) => other.hasStableId && place.hasStableId);
        return (
          free(act) &&
          relatives.length > 0 &&
          rivals.every((other) => haveOtherIds(fileOf(path), fileOf(other.path)))
        );
      });
      if (act) act.push(...line);
      else acts.push([...line]);
    }
  }
  for (const act of acts) for (const place of act) place.act = act;
}

/** Whether two files begin with one entry that has another id in each: pi gave them out at two upgrades. */
function haveOtherIds({ first: a }: File, { first: b }: File): boolean {
  if (!a || !b || a[1] === null || b[1] === null) return false;
  return a[0] === b[0] && a[1] !== b[1];
}

function isEarlier(a: NaiveEvent, b: NaiveEvent, fileOf: (path: string) => File): boolean {
  const [begunA, begunB] = [fileOf(a.path).created, fileOf(b.path).created];
  if (begunA !== begunB) return begunA < begunB;
  const isCheckpoint = (path: string) => /\.checkpoint\..*\.jsonl$/.test(path);
  if (isCheckpoint(a.path) !== isCheckpoint(b.path)) return isCheckpoint(b.path);
  if (a.path !== b.path) return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)) < 0;
  return a.line < b.line || (a.line === b.line && a.ordinal < b.ordinal);
}

// Whose it is

/** Says whose an act is that is told in these places: of the session that was begun first. */
function settle(places: readonly NaiveEvent[], files: readonly File[]): void {
  const fileOf = (path: string) => files.find((file) => file.path === path) as File;
  const first = places.reduce((a, b) => (isEarlier(a, b, fileOf) ? a : b));
  const told = areTold(places, files);
  for (const place of places) place.attribution = told ? "reported" : place === first ? "owner" : "duplicate";
}

/** Whether each run has a file that tells spending of its own: such as none has that tells of the run. */
function areTold(copies: readonly NaiveEvent[], files: readonly File[]): boolean {
  if (copies[0]?.kind !== "subagent") return false;
  const tellers = files.filter((file) => copies.some(({ path }) => path === file.path));
  const known = new Set(tellers.flatMap((file) => file.events.map(({ act }) => act)));
  const spenders = files.filter(
    (file) =>
      !tellers.includes(file) &&
      file.events.some(({ billed, kind, act }) => billed && kind !== "subagent" && !known.has(act)),
  );
  const runs = [...new Set(copies.flatMap((copy) => [...copy.runs.keys()]))].map((n) =>
    copies.flatMap((copy) => copy.runs[n] ?? []),
  );
  return runs.length > 0 && runs.every((paths) => spenders.some(({ path }) => paths.includes(path)));
}

// What a file tells

interface Entry {
  id: unknown;
  parentId: unknown;
  line: number;
  fields: Fields;
}

function readFile(path: string): File | undefined {
  const entries: Entry[] = [];
  let header: Fields | undefined;
  let parsed = 0;
  for (const [n, line] of readFileSync(path, "utf8").split("\n").entries()) {
    let fields: unknown;
    try {
      fields = JSON.parse(line.replace(/^\ufeff/, ""));
    } catch {
      continue;
    }
    if (!header) {
      if (!isFields(fields) || fields.type === "title") continue;
      if (fields.type !== "session") return undefined;
      header = fields;
    } else if (isFields(fields) && fields.type !== "session") {
      // Version 1 has no ids: entries hang from the one before, by their place among the lines that are JSON.
      const isOld = (header.version ?? 1) === 1;
      const place = isOld
        ? { id: parsed.toString(16).padStart(8, "0"), parentId: entries.at(-1)?.id ?? null }
        : { id: idOf(fields.id), parentId: idOf(fields.parentId) };
      entries.push({ ...place, line: n + 1, fields });
    }
    if (fields) parsed++;
  }
  if (!header) return undefined;
  const [start] = entries;
  const began = timeOf(start?.fields.timestamp);
  const file: File = {
    path,
    id: textOf(header.id),
    parent: textOf(header.parentSession) || textOf(header.branchedFrom),
    first: start && began !== null ? [`${began} ${start.fields.type}`, start.id] : undefined,
    created: timeOf(header.timestamp) ?? Number.POSITIVE_INFINITY,
    events: [],
    calls: [],
  };
  const current = currentOf(entries);
  const calls = new Map<string, Call>();
  let lastMessage: number | null = null;
  for (const entry of entries) {
    const { fields } = entry;
    const at = timeOf(fields.timestamp);
    const events = eventsOf(entry, path, current.has(entry));
    for (const event of events) event.hasStableId &&= (header.version ?? 1) !== 1;
    if (fields.type === "message" && at !== null) {
      if (lastMessage !== null && events[0]) events[0].elapsed = waited(lastMessage, at);
      lastMessage = at;
    }
    file.events.push(...events);
    const message = isFields(fields.message) && fields.type === "message" ? fields.message : {};
    const by = events[0];
    if (message.role === "assistant" && by) {
      const blocks = Array.isArray(message.content) ? message.content.filter(isFields) : [];
      for (const block of blocks.filter(({ type }) => type === "toolCall")) {
        const call = { name: textOf(block.name), by, answered: false, failed: false, elapsed: 0 };
        calls.set(textOf(block.id), call);
        file.calls.push(call);
      }
    }
    const called = message.role === "toolResult" ? calls.get(textOf(message.toolCallId)) : undefined;
    if (called) {
      const elapsed = at === null || called.by.time === null ? 0 : waited(called.by.time, at);
      const told = message.durationMs;
      Object.assign(called, {
        answered: true,
        failed: message.isError === true,
        elapsed: typeof told === "number" ? told : elapsed,
      });
      // What a script called counts with the answer that called the script.
      const nested = isFields(message.nestedCalls) ? message.nestedCalls.calls : [];
      for (const { name, status, durationMs } of nested as Fields[]) {
        file.calls.push({
          ...{ name: textOf(name), by: called.by, answered: status !== "unfinished" },
          ...{ failed: status === "error", elapsed: typeof durationMs === "number" ? durationMs : 0 },
        });
      }
    }
  }
  return file;
}

/** A clock that was put back tells nothing, and neither does a pause of more than a day. */
const waited = (from: number, to: number): number =>
  to < from || to - from > 24 * 3_600_000 ? 0 : to - from;

const idOf = (id: unknown): unknown => (typeof id === "string" || typeof id === "number" ? id : null);

/** The last entry and all it hangs from. An id that stands twice means the later one. */
function currentOf(entries: readonly Entry[]): Set<Entry> {
  const path = new Set<Entry>();
  for (let entry = entries.at(-1); entry && !path.has(entry); ) {
    path.add(entry);
    const { parentId } = entry;
    entry = parentId ? entries.findLast(({ id }) => id === parentId) : undefined;
  }
  return path;
}

function eventsOf({ id, line, fields }: Entry, path: string, current: boolean): NaiveEvent[] {
  const { type } = fields;
  const message = isFields(fields.message) ? fields.message : {};
  const stamp = typeof message.timestamp === "number" ? Math.trunc(message.timestamp) : null;
  const time = timeOf(fields.timestamp) ?? (type === "message" ? stamp : null);
  return tellings(fields, path).map(({ kind, usage, by = fields, run = null, runs = [], ...names }, n) => {
    const figures = figuresOf(usage);
    const billed = figures.slice(0, 4).some(Boolean) || figures[6] !== 0;
    const model = `${textOf(by.provider)}/${textOf(by.responseModel ?? by.model)}`;
    const told = [...figures.slice(0, 4), figures[6]];
    const text = [message.content, fields.summary];
    return {
      ...{
        path,
        line,
        ordinal: n,
        kind,
        attribution: "owner",
        time,
        model,
        current,
        billed,
        figures,
        runs,
        elapsed: 0,
      },
      ...{ act: {}, id, hasStableId: id !== null, text: JSON.stringify(text) },
      ...{ agent: names.agent ?? "", tool: names.tool ?? "", stop: names.stop ?? "" },
      same:
        time === null && id === null
          ? null
          : JSON.stringify([
              ...[time, n, kind, run, names.agent, model],
              ...(billed ? told : []),
              ...(billed && time !== null ? [] : text),
            ]),
    };
  });
}

/** What is told of one act, before its figures are read. */
interface Telling {
  kind: string;
  usage: unknown;
  /** What names provider and model. */
  by?: Fields;
  run?: number;
  runs?: string[][];
  agent?: string;
  tool?: string;
  stop?: string;
}

function tellings(fields: Fields, path: string): Telling[] {
  const { type, usage } = fields;
  if (type === "compaction" || type === "branch_summary" || type === "session_summary") {
    return [{ kind: type, usage, by: {} }];
  }
  if (type === "usage") return [{ kind: fields.kind ? `usage:${textOf(fields.kind)}` : "usage", usage }];
  if (type !== "message" || !isFields(fields.message)) return [];
  const { message } = fields;
  if (message.role === "user") return [{ kind: "user", usage: undefined, by: {} }];
  if (message.role === "assistant") {
    return [{ kind: "assistant", usage: message.usage, by: message, stop: textOf(message.stopReason) }];
  }
  if (message.role !== "toolResult") return [];
  const tool = textOf(message.toolName);
  const details = isFields(message.details) ? message.details : {};
  const results = (Array.isArray(details.results) ? details.results : []).filter(
    (result): result is Fields => isFields(result) && typeof result.agent === "string",
  );
  const runs = results.map((result) => pathsOf(result, path));
  const isSum = isFields(message.usage);
  if (isSum && runs.length === 0) return [{ kind: "tool", usage: message.usage, by: {}, tool }];
  const priced = results.filter(({ usage }) => isFields(usage) && figure(usage.cost, 1e4) !== undefined);
  if (isSum && priced.length < results.length) {
    return [{ kind: "subagent", usage: message.usage, by: {}, tool, runs }];
  }
  return results.flatMap(({ usage, agent, model }, run): Telling[] => {
    if (!isFields(usage)) return [];
    const by = { model: textOf(model).replace(/:(low|high)$/, "") };
    const told = { ...usage, cost: { total: usage.cost } };
    const place = { run, runs: [runs[run] as string[]], agent: textOf(agent), tool };
    return [{ kind: "subagent", usage: told, by, ...place }];
  });
}

/** Where a run's session may lie: where it was said to, or in the same place below the folder of its caller. */
function pathsOf({ sessionFile, artifactPaths }: Fields, caller: string): string[] {
  const told = [sessionFile, isFields(artifactPaths) ? artifactPaths.jsonlPath : undefined].filter(
    (path) => typeof path === "string",
  );
  const beside = told.flatMap((path) =>
    ["subagent-artifacts", basename(caller, ".jsonl")].flatMap((folder) => {
      const at = path.lastIndexOf(`/${folder}/`);
      const isAmong = basename(dirname(caller)) === "subagent-artifacts";
      const anchors = [dirname(caller), ...(isAmong ? [dirname(dirname(caller))] : [])];
      return at < 0 ? [] : anchors.map((anchor) => join(anchor, path.slice(at)));
    }),
  );
  return [...told, ...beside];
}

function figure(value: unknown, most: number): number | undefined {
  return typeof value === "number" && value >= 0 && value <= most ? value : undefined;
}

function figuresOf(usage: unknown): number[] {
  const told = isFields(usage) ? usage : {};
  const cost = isFields(told.cost) ? told.cost : {};
  const names = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"];
  const tokens = names.map((name) => Math.round(figure(told[name], 1e12) ?? 0));
  const parts = names.slice(0, 4).reduce((sum, name) => sum + (figure(cost[name], 1e4) ?? 0), 0);
  const total = figure(cost.total, 1e4) ?? parts;
  const providers = cost.totalFromProvider === true ? total : (figure(cost.totalFromProvider, 1e4) ?? 0);
  return [...tokens, Math.round(total * 1e9), Math.round(providers * 1e9)];
}
