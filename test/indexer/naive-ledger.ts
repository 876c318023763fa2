import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * A second implementation of the ledger, to compare the indexer's with: computed from the files with `JSON.parse` and loops,
 * without SQL and without code of the indexer. Slow, and only meant for small sessions.
 */
export interface NaiveLedger {
  events: NaiveEvent[];
  /** Sums of owned events by 15-minute bucket, file and series. */
  rollup: Map<string, number[]>;
}

type Fields = Record<string, unknown>;

export interface NaiveEvent {
  path: string;
  line: number;
  ordinal: number;
  kind: string;
  attribution: "owner" | "duplicate" | "reported";
  /** Fingerprint that all copies share, and unrelated events may share too; null without time and id. */
  fingerprint: string | null;
  /** Identifies the billable event: the same object in all its occurrences. */
  billableEvent: object;
  /** The entry's id, and whether all copies have the same one. */
  id: unknown;
  hasStableId: boolean;
  text: string;
  time: number | null;
  model: string;
  agent: string;
  tool: string;
  stop: string;
  current: boolean;
  /** 0 with a cost or without tokens, else 1 and how many of the limits for long prompts its prompt exceeds. */
  context: number;
  billed: boolean;
  /** input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning, cost, cost reported by the provider */
  figures: number[];
  /** Milliseconds since the previous message, 0 if unknown. */
  elapsed: number;
  /** For each subagent run with this cost, the possible paths of its session. */
  runs: string[][];
}

interface File {
  path: string;
  created: number;
  id: string;
  parent: string;
  /** Time and type of the first entry, and its id. */
  first: [timeAndType: string, id: unknown] | undefined;
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
const toText = (value: unknown): string => (typeof value === "string" ? value : "");
const parseTime = (value: unknown): number | null => {
  const time = typeof value === "string" ? Date.parse(value) : parseUnixTime(value);
  return Number.isNaN(time) ? null : time;
};

/** Returns Unix milliseconds: numbers that would be before 1973 are taken as seconds, small numbers are invalid. */
const parseUnixTime = (value: unknown): number =>
  typeof value !== "number" || value < 1e8 ? Number.NaN : Math.trunc(value < 1e11 ? value * 1000 : value);

export function naiveLedger(root: string): NaiveLedger {
  const files = findSessionPaths(root).flatMap((path) => readFile(path) ?? []);
  const events = files.flatMap((file) => file.events);
  const families = findFamilies(files);
  // An event without a fingerprint has no copies.
  for (const occurrences of Map.groupBy(events, (event) => event.fingerprint ?? event).values()) {
    splitByEvent(occurrences, files, families);
  }
  for (const occurrences of Map.groupBy(events, (event) => event.billableEvent).values()) {
    attribute(occurrences, files);
  }
  const rollup: NaiveLedger["rollup"] = new Map();
  const addToRollup = (event: NaiveEvent, figures: number[], { kind, agent, tool, context } = event) => {
    const { path, model, stop, current, attribution } = event;
    if (attribution !== "owner") return;
    const key = [getBucket(event.time), path, kind, model, agent, tool, stop, current, context].join(" | ");
    const sums = rollup.get(key);
    rollup.set(
      key,
      figures.map((figure, n) => figure + (sums?.[n] ?? 0)),
    );
  };
  for (const event of events) {
    const { kind, billed, figures, elapsed } = event;
    const kinds = ["assistant", "user", "compaction"].map((name) => Number(kind === name));
    const waits = [kind === "assistant" ? elapsed : 0, kind === "user" ? elapsed : 0];
    addToRollup(event, [Number(billed), ...kinds, ...figures, ...waits, 0, 0, 0, 0]);
  }
  for (const { name, by, answered, failed, elapsed } of files.flatMap((file) => file.calls)) {
    const figures = [1, Number(answered), Number(failed), elapsed];
    addToRollup(by, [...Array(14).fill(0), ...figures], {
      ...by,
      kind: "call",
      agent: "",
      tool: name,
      context: 0,
    });
  }
  return { events, rollup };
}

/** Returns the start of the 15-minute bucket, or "never". */
function getBucket(time: number | null): string {
  return time === null ? "never" : new Date(Math.floor(time / 900_000) * 900_000).toISOString();
}

function findSessionPaths(root: string): string[] {
  return (readdirSync(root, { recursive: true }) as string[])
    .map((name) => join(root, name))
    .filter((path) => path.endsWith(".jsonl") && existsSync(path) && statSync(path).isFile());
}

// Related files

/** Returns a family name for each path: forks, their sources and their siblings are a family. */
function findFamilies(files: readonly File[]): Map<string, string> {
  const family = new Map(files.map(({ path }) => [path, path]));
  const paths = new Set(files.map(({ path }) => path));
  const areRelated = (a: File, b: File) =>
    (a.id !== "" && (a.id === b.id || a.id === parseSessionId(b.parent))) ||
    (b.id !== "" && b.id === parseSessionId(a.parent)) ||
    (a.parent !== "" && (a.parent === b.path || a.parent === b.parent)) ||
    (b.parent !== "" && b.parent === a.path) ||
    (parseSessionId(a.parent) !== undefined && parseSessionId(a.parent) === parseSessionId(b.parent)) ||
    isForkOfMoved(a, b) ||
    isForkOfMoved(b, a);
  const isForkOfMoved = (fork: File, { path }: File) =>
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

const parseSessionId = (path: string): string | undefined =>
  /^\d{4}-\d\d-\d\dT[\d-]+Z_(.+)\.jsonl$/.exec(basename(path))?.[1];

/** Sets the billable event of occurrences with the same time, model and figures. */
function splitByEvent(
  occurrences: readonly NaiveEvent[],
  files: readonly File[],
  families: Map<string, string>,
): void {
  const fileOf = (path: string) => files.find((file) => file.path === path) as File;
  const inOrder = occurrences.toSorted((a, b) => (isEarlier(a, b, fileOf) ? -1 : 1));
  const events: NaiveEvent[][] = [];
  const getLineKey = ({ path, id, text }: NaiveEvent) => JSON.stringify([path, id, id === null ? text : ""]);
  const lines = Map.groupBy(inOrder, getLineKey);
  for (const path of new Set(inOrder.map((occurrence) => occurrence.path))) {
    const linesOfPath = [...lines.values()].filter(([line]) => line?.path === path);
    const isAbsentIn = (event: NaiveEvent[]) => !event.some((occurrence) => occurrence.path === path);
    const unmatched = linesOfPath.filter((line) => {
      const [{ id, hasStableId } = line[0] as NaiveEvent] = line;
      const event = events.find(
        (event) =>
          hasStableId && isAbsentIn(event) && event.some((other) => other.hasStableId && other.id === id),
      );
      event?.push(...line);
      return !event;
    });
    for (const line of unmatched) {
      const [occurrence] = line as [NaiveEvent];
      const event = events.find((event) => {
        const relatives = event.filter((other) => families.get(other.path) === families.get(path));
        const rivals = relatives.filter((other) => other.hasStableId && occurrence.hasStableId);
        return (
          isAbsentIn(event) &&
          relatives.length > 0 &&
          rivals.every((other) => haveDifferentIds(fileOf(path), fileOf(other.path)))
        );
      });
      if (event) event.push(...line);
      else events.push([...line]);
    }
  }
  for (const event of events) for (const occurrence of event) occurrence.billableEvent = event;
}

/** Whether two files begin with the same entry under different ids, because pi upgraded both from version 1. */
function haveDifferentIds({ first: a }: File, { first: b }: File): boolean {
  if (!a || !b || a[1] === null || b[1] === null) return false;
  return a[0] === b[0] && a[1] !== b[1];
}

function isEarlier(a: NaiveEvent, b: NaiveEvent, fileOf: (path: string) => File): boolean {
  const [createdA, createdB] = [fileOf(a.path).created, fileOf(b.path).created];
  if (createdA !== createdB) return createdA < createdB;
  const isCheckpoint = (path: string) => /\.checkpoint\..*\.jsonl$/.test(path);
  if (isCheckpoint(a.path) !== isCheckpoint(b.path)) return isCheckpoint(b.path);
  if (a.path !== b.path) return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)) < 0;
  return a.line < b.line || (a.line === b.line && a.ordinal < b.ordinal);
}

// Attribution

/** Attributes the occurrences of a billable event: the session that was created first is the owner. */
function attribute(occurrences: readonly NaiveEvent[], files: readonly File[]): void {
  const fileOf = (path: string) => files.find((file) => file.path === path) as File;
  const first = occurrences.reduce((a, b) => (isEarlier(a, b, fileOf) ? a : b));
  const isReported = haveOwnSessions(occurrences, files);
  for (const occurrence of occurrences) {
    occurrence.attribution = isReported ? "reported" : occurrence === first ? "owner" : "duplicate";
  }
}

/** Whether each subagent run has a session file with costs that its callers do not record themselves. */
function haveOwnSessions(copies: readonly NaiveEvent[], files: readonly File[]): boolean {
  if (copies[0]?.kind !== "subagent") return false;
  const callers = files.filter((file) => copies.some(({ path }) => path === file.path));
  const known = new Set(callers.flatMap((file) => file.events.map(({ billableEvent }) => billableEvent)));
  const spenders = files.filter(
    (file) =>
      !callers.includes(file) &&
      file.events.some(
        ({ billed, kind, billableEvent }) => billed && kind !== "subagent" && !known.has(billableEvent),
      ),
  );
  const runs = [...new Set(copies.flatMap((copy) => [...copy.runs.keys()]))].map((n) =>
    copies.flatMap((copy) => copy.runs[n] ?? []),
  );
  return runs.length > 0 && runs.every((paths) => spenders.some(({ path }) => paths.includes(path)));
}

// Files

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
      // Version 1 has no ids: the parent is the previous entry, and the index among the JSON lines is the id.
      const isOld = (header.version ?? 1) === 1;
      const ids = isOld
        ? { id: parsed.toString(16).padStart(8, "0"), parentId: entries.at(-1)?.id ?? null }
        : { id: toId(fields.id), parentId: toId(fields.parentId) };
      entries.push({ ...ids, line: n + 1, fields });
    }
    if (fields) parsed++;
  }
  if (!header) return undefined;
  const file: File = {
    path,
    id: toText(header.id),
    parent: toText(header.parentSession) || toText(header.branchedFrom),
    first: undefined,
    created: parseTime(header.timestamp) ?? Number.POSITIVE_INFINITY,
    events: [],
    calls: [],
  };
  const current = findCurrentBranch(entries);
  const calls = new Map<string, Call>();
  let lastMessage: number | null = null;
  for (const entry of entries) {
    const { fields } = entry;
    const at = parseTime(fields.timestamp);
    const events = readEvents(entry, path, current.has(entry));
    for (const event of events) event.hasStableId &&= (header.version ?? 1) !== 1;
    if (fields.type === "message" && at !== null) {
      if (lastMessage !== null && events[0]) events[0].elapsed = getElapsed(lastMessage, at);
      lastMessage = at;
    }
    file.events.push(...events);
    const message = isFields(fields.message) && fields.type === "message" ? fields.message : {};
    const by = events[0];
    if (message.role === "assistant" && by) {
      const blocks = Array.isArray(message.content) ? message.content.filter(isFields) : [];
      for (const block of blocks.filter(({ type }) => type === "toolCall")) {
        const call = { name: toText(block.name), by, answered: false, failed: false, elapsed: 0 };
        calls.set(toText(block.id), call);
        file.calls.push(call);
      }
    }
    const call = message.role === "toolResult" ? calls.get(toText(message.toolCallId)) : undefined;
    if (call) {
      const elapsed = at === null || call.by.time === null ? 0 : getElapsed(call.by.time, at);
      const { durationMs: reported } = message;
      Object.assign(call, {
        answered: true,
        failed: message.isError === true,
        elapsed: typeof reported === "number" ? reported : elapsed,
      });
      // Calls made by a script count for the response that called the script.
      const nested = isFields(message.nestedCalls) ? message.nestedCalls.calls : [];
      for (const { name, status, durationMs } of nested as Fields[]) {
        file.calls.push({
          ...{ name: toText(name), by: call.by, answered: status !== "unfinished" },
          ...{ failed: status === "error", elapsed: typeof durationMs === "number" ? durationMs : 0 },
        });
      }
    }
  }
  const [start] = entries;
  if (start) {
    const eventTime = file.events.find(({ line }) => line === start.line)?.time ?? null;
    const time = parseTime(start.fields.timestamp) ?? eventTime;
    if (time !== null) file.first = [`${time} ${start.fields.type}`, start.id];
  }
  return file;
}

/** Returns the milliseconds between two times, 0 if the clock was set back or more than a day passed. */
const getElapsed = (from: number, to: number): number =>
  to < from || to - from > 24 * 3_600_000 ? 0 : to - from;

const toId = (id: unknown): unknown => (typeof id === "string" || typeof id === "number" ? id : null);

/** Returns the last entry and its ancestors. A duplicate id refers to the later entry. */
function findCurrentBranch(entries: readonly Entry[]): Set<Entry> {
  const path = new Set<Entry>();
  for (let entry = entries.at(-1); entry && !path.has(entry); ) {
    path.add(entry);
    const { parentId } = entry;
    entry = parentId ? entries.findLast(({ id }) => id === parentId) : undefined;
  }
  return path;
}

function readEvents({ id, line, fields }: Entry, path: string, current: boolean): NaiveEvent[] {
  const { type } = fields;
  const message = isFields(fields.message) ? fields.message : {};
  const stamp = typeof message.timestamp === "number" ? Math.trunc(message.timestamp) : null;
  const time = parseTime(fields.timestamp) ?? (type === "message" ? stamp : null);
  return readCosts(fields, path).map(({ kind, usage, by = fields, run = null, runs = [], ...names }, n) => {
    const figures = parseFigures(usage);
    const billed = figures.slice(0, 4).some(Boolean) || figures[6] !== 0;
    const model = `${toText(by.provider)}/${toText(by.responseModel ?? by.model)}`;
    const billedFigures = [...figures.slice(0, 4), figures[6]];
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
        context: getContext(kind, figures),
        billed,
        figures,
        runs,
        elapsed: 0,
      },
      ...{ billableEvent: {}, id, hasStableId: id !== null, text: JSON.stringify(text) },
      ...{ agent: names.agent ?? "", tool: names.tool ?? "", stop: names.stop ?? "" },
      fingerprint:
        time === null && id === null
          ? null
          : JSON.stringify([
              ...[time, n, kind, run, names.agent, model],
              ...(billed ? billedFigures : []),
              ...(billed && time !== null ? [] : text),
            ]),
    };
  });
}

function getContext(
  kind: string,
  [input = 0, output = 0, cacheRead = 0, cacheWrite = 0, , , cost]: number[],
) {
  const prompt = input + cacheRead + cacheWrite;
  if (cost !== 0 || prompt + output === 0) return 0;
  if (kind === "tool" || kind === "subagent") return 1;
  const limits = [32, 100, 128, 200, 256, 272, 512].map((thousand) => thousand * 1000);
  return 1 + limits.filter((limit) => prompt > limit).length;
}

/** One cost of an entry, with its unparsed figures. */
interface RecordedCost {
  kind: string;
  usage: unknown;
  /** The object that has the provider and model. */
  by?: Fields;
  run?: number;
  runs?: string[][];
  agent?: string;
  tool?: string;
  stop?: string;
}

function readCosts(fields: Fields, path: string): RecordedCost[] {
  const { type, usage } = fields;
  if (type === "compaction" || type === "branch_summary" || type === "session_summary") {
    return [{ kind: type, usage, by: {} }];
  }
  if (type === "usage") return [{ kind: fields.kind ? `usage:${toText(fields.kind)}` : "usage", usage }];
  if (type !== "message" || !isFields(fields.message)) return [];
  const { message } = fields;
  if (message.role === "user") return [{ kind: "user", usage: undefined, by: {} }];
  if (message.role === "assistant") {
    return [{ kind: "assistant", usage: message.usage, by: message, stop: toText(message.stopReason) }];
  }
  if (message.role !== "toolResult") return [];
  const tool = toText(message.toolName);
  const details = isFields(message.details) ? message.details : {};
  const results = (Array.isArray(details.results) ? details.results : []).filter(
    (result): result is Fields => isFields(result) && typeof result.agent === "string",
  );
  const runs = results.map((result) => findRunPaths(result, path));
  const isSum = isFields(message.usage);
  if (isSum && runs.length === 0) return [{ kind: "tool", usage: message.usage, by: {}, tool }];
  const priced = results.filter(({ usage }) => isFields(usage) && toFigure(usage.cost, 1e4) !== undefined);
  if (isSum && priced.length < results.length) {
    return [{ kind: "subagent", usage: message.usage, by: {}, tool, runs }];
  }
  return results.flatMap(({ usage, agent, model }, run): RecordedCost[] => {
    if (!isFields(usage)) return [];
    const by = { model: toText(model).replace(/:(low|high)$/, "") };
    const withTotal = { ...usage, cost: { total: usage.cost } };
    const source = { run, runs: [runs[run] as string[]], agent: toText(agent), tool };
    return [{ kind: "subagent", usage: withTotal, by, ...source }];
  });
}

/** Returns possible paths of a subagent session: the recorded ones, and the same ones relative to the caller's folder. */
function findRunPaths({ sessionFile, artifactPaths }: Fields, caller: string): string[] {
  const recorded = [sessionFile, isFields(artifactPaths) ? artifactPaths.jsonlPath : undefined].filter(
    (path) => typeof path === "string",
  );
  const relocated = recorded.flatMap((path) =>
    ["subagent-artifacts", basename(caller, ".jsonl")].flatMap((folder) => {
      const at = path.lastIndexOf(`/${folder}/`);
      const isSubagent = basename(dirname(caller)) === "subagent-artifacts";
      const anchors = [dirname(caller), ...(isSubagent ? [dirname(dirname(caller))] : [])];
      return at < 0 ? [] : anchors.map((anchor) => join(anchor, path.slice(at)));
    }),
  );
  return [...recorded, ...relocated];
}

function toFigure(value: unknown, max: number): number | undefined {
  return typeof value === "number" && value >= 0 && value <= max ? value : undefined;
}

function parseFigures(usage: unknown): number[] {
  const fields = isFields(usage) ? usage : {};
  const cost = isFields(fields.cost) ? fields.cost : {};
  const names = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"];
  const tokens = names.map((name) => Math.round(toFigure(fields[name], 1e12) ?? 0));
  const parts = names.slice(0, 4).reduce((sum, name) => sum + (toFigure(cost[name], 1e4) ?? 0), 0);
  const total = toFigure(cost.total, 1e4) ?? parts;
  const providerCost = cost.totalFromProvider === true ? total : (toFigure(cost.totalFromProvider, 1e4) ?? 0);
  return [...tokens, Math.round(total * 1e9), Math.round(providerCost * 1e9)];
}
