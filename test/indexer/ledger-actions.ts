import { basename, dirname, join, relative, sep } from "node:path";
import { type Fields, toolCall } from "../../fixtures/blocks.ts";
import { type Session, session } from "../../fixtures/builder.ts";
import {
  appendFileSync,
  copyFileSync,
  copyFolder,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "./odd-fs.ts";
import type { RootSimulation, SessionFile } from "./root-simulation.ts";

/** A billable event: every record of it contains its name, so the total cost can be computed from the files. */
interface BillableEvent {
  act: string;
  usd: number;
}

type LedgerAction = (simulation: RootSimulation, file: SessionFile, choice: number) => void;

/** Changes that affect the ledger: costs, copies of them, and subagents. */
export const LEDGER_ACTIONS = {
  spend: (simulation, file, choice) => {
    for (let n = 0; n <= choice % 2; n++) appendCost(simulation, file, (choice >> 1) + n);
  },
  spendOnBranch: (simulation, file, choice) => {
    const { session } = file;
    const earlier = session.entries[choice % Math.max(1, session.entries.length)]?.id;
    session.branch(choice % 5 ? String(earlier) : null);
    appendCost(simulation, file, choice >> 3);
  },
  /** A file contains a line twice. */
  repeatLine: (_, file, choice) => {
    const lines = readFileSync(file.path, "utf8").split("\n");
    appendFileSync(file.path, `${lines[choice % lines.length]}\n`);
  },
  /** Copies every line behind another header, as `--fork` does. */
  forkLines: (simulation, file, choice) => {
    const fork = createFork(simulation, file, choice);
    const lines = readFileSync(file.path, "utf8").split("\n");
    const header = lines.findIndex((line) => line.startsWith('{"type":"session"'));
    if (header >= 0) lines[header] = fork.lines[0] as string;
    const path = simulation.pathBeside(file, choice >> 4);
    writeFileSync(path, lines.join("\n"));
    simulation.add(path, fork);
    if (file.run) file.pinned = true;
  },
  /** Copies the branch to an entry, without its labels, as `/clone` does. */
  clone: (simulation, file, choice) => {
    if (file.session.version === 1) return;
    const leaf = file.session.entries[choice % Math.max(1, file.session.entries.length)]?.id;
    const clone = createFork(simulation, file, choice >> 3, String(leaf));
    simulation.add(clone.write(simulation.pathBeside(file, choice >> 5)), clone);
    if (file.run) file.pinned = true;
  },
  copyFile: (simulation, file, choice) => {
    const path = simulation.pathBeside(file, choice);
    copyFileSync(file.path, path);
    simulation.add(path, file.session);
    if (file.run) file.pinned = true;
  },
  /** Upgrades a version 1 session as pi does when it opens one: random ids, in place or in a copy of the file. */
  upgrade: (simulation, file, choice) => {
    if (file.session.version !== 1) return;
    const [header, ...lines] = readFileSync(file.path, "utf8").split("\n");
    if (!header?.startsWith('{"type":"session"') || header.includes('"version"')) return;
    const upgraded = lines.map((line) =>
      line.startsWith("{") ? `{"id":"${simulation.newId()}",${line.slice(1)}` : line,
    );
    const path = choice % 2 === 0 ? file.path : simulation.pathBeside(file, choice >> 1);
    writeFileSync(path, [`{"version":3,${header.slice(1)}`, ...upgraded].join("\n"));
    if (path !== file.path) simulation.add(path, file.session);
    if (file.run) file.pinned = true;
  },
  /** A session with the ids and times of another one, but other texts and costs. */
  sameIdsAndTimes: (simulation, file, choice) => {
    const { id, timestamp, cwd } = file.session;
    const unrelated = session({ id: simulation.newId(), idSeed: id, timestamp, cwd });
    const added = simulation.add(simulation.pathBeside(file, choice), unrelated);
    unrelated.user(`Unrelated ${simulation.newId()}`);
    appendResponse(unrelated, simulation.newEvent(), choice);
    unrelated.write(added.path);
  },
  subagent: (simulation, file, choice) => appendSubagentCall(simulation, file, choice),
  /** Writes a subagent session that its caller already reported. */
  runArrives: (simulation, _, choice) => {
    const [pending] = simulation.pending.splice(choice % Math.max(1, simulation.pending.length), 1);
    if (!pending || existsSync(pending.path)) return;
    simulation.add(pending.session.write(pending.path), pending.session).run = true;
  },
  /** Deletes a file whose costs no other file depends on. */
  removeUnpinned: (simulation, file) => {
    if (file.pinned) return;
    rmSync(file.path);
    simulation.drop(file);
  },
  /** Moves a session without subagents to another folder. */
  moveAlone: (simulation, file, choice) => {
    if (file.run || readFileSync(file.path, "utf8").includes('"agent"')) return;
    const path = simulation.newPath(choice);
    renameSync(file.path, path);
    file.path = path;
  },
  /** Renames a folder with sessions and their subagent sessions: recorded paths become invalid. */
  renameProject: (simulation, file) => {
    const [from, to] = getProjectPaths(simulation, file);
    if (!from) return;
    renameSync(from, to);
    for (const moved of [...simulation.files, ...simulation.pending])
      moved.path = rebase(moved.path, from, to);
  },
  copyProject: (simulation, file) => {
    const [from, to] = getProjectPaths(simulation, file);
    if (!from || simulation.files.length > 12) return; // otherwise roots double until a run takes minutes
    copyFolder(from, to);
    for (const original of [...simulation.files]) {
      const path = rebase(original.path, from, to);
      if (path === original.path) continue;
      original.pinned ||= original.run || original.caller;
      Object.assign(simulation.add(path, original.session), { ...original, path });
    }
  },
} satisfies Record<string, LedgerAction>;

/** Returns the top folder of a file below the root, and a new path for it. */
function getProjectPaths(
  simulation: RootSimulation,
  file: SessionFile,
): [from: string | undefined, to: string] {
  const [project = "", ...rest] = relative(simulation.root, file.path).split(sep);
  if (rest.length === 0) return [undefined, ""];
  return [join(simulation.root, project), join(simulation.root, `project-${simulation.newId()}`)];
}

function rebase(path: string, from: string, to: string): string {
  return path.startsWith(from + sep) ? to + path.slice(from.length) : path;
}

/** Creates a fork that began later, earlier, at the same time, or at an unknown time. */
function createFork(
  simulation: RootSimulation,
  { session, path }: SessionFile,
  choice: number,
  leaf?: string,
): Session {
  const began = Date.parse(session.timestamp);
  const timestamp = new Date(
    began + ([3_600_000, -3_600_000, 0, 60_000][choice % 4] as number),
  ).toISOString();
  const header = choice % 5 === 4 ? { timestamp: undefined } : {};
  return session.fork({
    id: simulation.newId(),
    version: session.version,
    parentSession: path,
    timestamp,
    header,
    ...(leaf === undefined ? {} : { leaf }),
  });
}

/** Appends an entry with a cost, of one of the kinds that can have one. */
function appendCost(simulation: RootSimulation, file: SessionFile, choice: number): void {
  const { session } = file;
  const { act, usd } = simulation.newEvent();
  const fields = { act, usage: createUsage(usd, choice) };
  const kinds: (() => Session)[] = [
    () => appendResponse(session, { act, usd }, choice),
    () => appendResponse(session, { act, usd }, choice),
    () => session.compaction(`Summary ${act}`, session.version === 1 ? 1 : session.lastId, fields),
    () => session.branchSummary(session.lastId, `Left ${act}`, fields),
    () => session.usage(["title", "warm"][choice % 2] as string, {}, fields),
    () => session.toolResult("call_0_0", "imagine", `drawn ${act}`, fields),
  ];
  (kinds[choice % kinds.length] as () => Session)();
  appendFileSync(file.path, `${session.lines.at(-1)}\n`);
}

function appendResponse(session: Session, { act, usd }: BillableEvent, choice: number): Session {
  const model = `model-${choice % 3}`;
  return session.assistant(`Answer ${act}`, { act, model, usage: createUsage(usd, choice) });
}

/** Returns a usage object with the cost in one of the formats of pi: a total, parts, or a total reported by the provider. */
function createUsage(usd: number, choice: number): Fields {
  const cost = [{ total: usd }, { input: usd }, { total: usd, totalFromProvider: true }][choice % 3];
  return { input: choice % 50, output: 7, cacheRead: choice % 9, cacheWrite: 4, cacheWrite1h: 1, cost };
}

/** Appends a call of subagents and its result, which reports each run in one of the known formats. */
function appendSubagentCall(simulation: RootSimulation, file: SessionFile, choice: number): void {
  const { session: caller } = file;
  const call = `call_${simulation.newId()}`;
  const { act, usd } = simulation.newEvent();
  caller.assistant([toolCall(call, "subagent", {})], { act, usage: createUsage(usd, choice) });
  const runs = Array.from({ length: 1 + (choice % 2) }, (_, n) =>
    createRun(simulation, file, (choice >> 1) + n * 37),
  );
  const results = runs.map(({ result }) => result);
  // A sum beside incomplete parts could include costs that other files record in part; it could not be split.
  const sum = runs.reduce((usd, run) => usd + run.usd, 0);
  const withSum = choice % 3 === 0 && results.every((result) => "usage" in result);
  caller.toolResult(call, "subagent", "done", {
    details: { results },
    ...(withSum ? { usage: { input: 1, output: 1, cost: { total: sum } } } : {}),
  });
  file.caller = true;
  appendFileSync(
    file.path,
    caller.lines
      .slice(-2)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

/** Creates a run: its result in the caller, and a subagent session that exists now, is written later, or never exists. */
function createRun(
  simulation: RootSimulation,
  file: SessionFile,
  choice: number,
): { result: Fields; usd: number } {
  const name = simulation.newId();
  const folder = dirname(file.path);
  const inFolder = choice % 3 === 2;
  const path = inFolder
    ? join(folder, basename(file.path, ".jsonl"), "run-0", `${name}.jsonl`)
    : join(folder, "subagent-artifacts", `${name}_scout.jsonl`);
  const timestamp = new Date(Date.parse(file.session.timestamp) + 1_800_000).toISOString();
  const isFork = choice % 4 === 3 && file.session.version !== 1;
  const run = isFork
    ? createFork(simulation, file, choice >> 2)
    : session({ id: name, cwd: file.session.cwd, timestamp }).user(`Task ${name}`);
  const events = Array.from({ length: 1 + (choice % 2) }, () => simulation.newEvent());
  for (const event of events) appendResponse(run, event, choice);
  const usd = events.reduce((sum, event) => sum + event.usd, 0);
  const references: Fields[] = [{}, { sessionFile: path }, { artifactPaths: { jsonlPath: path } }];
  references.push({ sessionFile: path, artifactPaths: { jsonlPath: path } });
  const format = (choice >> 1) % 4;
  if (format > 0) {
    if ((choice >> 3) % 3 < 2) simulation.add(run.write(path), run).run = true;
    else simulation.pending.push({ path, session: run });
    // The subagent session is found by its path relative to this file.
    if (inFolder || isFork) file.pinned = true;
  }
  const usage = { input: 5, output: 14, cost: usd };
  const result = { agent: ["scout", "worker"][choice % 2], model: "model-1:low", ...references[format] };
  return { result: { ...result, usage, acts: events.map(({ act }) => act) }, usd };
}
