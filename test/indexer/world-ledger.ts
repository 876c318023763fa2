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
import type { SessionFile, World } from "./world.ts";

/** One spending of money: every place that tells of it carries its name, and so the files say which there are. */
interface Act {
  act: string;
  usd: number;
}

type LedgerAction = (world: World, file: SessionFile, choice: number) => void;

/** What happens to sessions that a ledger must get right: spending, copies of it, and subagents. */
export const LEDGER_ACTIONS = {
  spend: (world, file, choice) => {
    for (let n = 0; n <= choice % 2; n++) spend(world, file, (choice >> 1) + n);
  },
  spendOnBranch: (world, file, choice) => {
    const { session } = file;
    const earlier = session.entries[choice % Math.max(1, session.entries.length)]?.id;
    session.branch(choice % 5 ? String(earlier) : null);
    spend(world, file, choice >> 3);
  },
  /** A line stands there twice, in one file. */
  repeatLine: (_, file, choice) => {
    const lines = readFileSync(file.path, "utf8").split("\n");
    appendFileSync(file.path, `${lines[choice % lines.length]}\n`);
  },
  /** Every line, behind another header: what `--fork` does, at any time. */
  forkLines: (world, file, choice) => {
    const fork = forkOf(world, file, choice);
    const lines = readFileSync(file.path, "utf8").split("\n");
    const header = lines.findIndex((line) => line.startsWith('{"type":"session"'));
    if (header >= 0) lines[header] = fork.lines[0] as string;
    const path = world.pathBeside(file, choice >> 4);
    writeFileSync(path, lines.join("\n"));
    world.add(path, fork);
    if (file.run) file.pinned = true;
  },
  /** The branch to an entry, chained past its labels: what `/clone` does. */
  clone: (world, file, choice) => {
    if (file.session.version === 1) return;
    const leaf = file.session.entries[choice % Math.max(1, file.session.entries.length)]?.id;
    const clone = forkOf(world, file, choice >> 3, String(leaf));
    world.add(clone.write(world.pathBeside(file, choice >> 5)), clone);
    if (file.run) file.pinned = true;
  },
  copyFile: (world, file, choice) => {
    const path = world.pathBeside(file, choice);
    copyFileSync(file.path, path);
    world.add(path, file.session);
    if (file.run) file.pinned = true;
  },
  /** What pi makes of a version 1 session that it opens: random ids, in place or in a copy of the file. */
  upgrade: (world, file, choice) => {
    if (file.session.version !== 1) return;
    const [header, ...lines] = readFileSync(file.path, "utf8").split("\n");
    if (!header?.startsWith('{"type":"session"') || header.includes('"version"')) return;
    const upgraded = lines.map((line) =>
      line.startsWith("{") ? `{"id":"${world.newId()}",${line.slice(1)}` : line,
    );
    const path = choice % 2 === 0 ? file.path : world.pathBeside(file, choice >> 1);
    writeFileSync(path, [`{"version":3,${header.slice(1)}`, ...upgraded].join("\n"));
    if (path !== file.path) world.add(path, file.session);
    if (file.run) file.pinned = true;
  },
  /** The ids and times of another, but neither its texts nor its figures. */
  stranger: (world, file, choice) => {
    const { id, timestamp, cwd } = file.session;
    const stranger = session({ id: world.newId(), idSeed: id, timestamp, cwd });
    const added = world.add(world.pathBeside(file, choice), stranger);
    stranger.user(`Strange ${world.newId()}`);
    answer(stranger, world.act(), choice);
    stranger.write(added.path);
  },
  subagent: (world, file, choice) => callSubagents(world, file, choice),
  /** A run's session appears after it was told of. */
  runArrives: (world, _, choice) => {
    const [pending] = world.pending.splice(choice % Math.max(1, world.pending.length), 1);
    if (!pending || existsSync(pending.path)) return;
    world.add(pending.session.write(pending.path), pending.session).run = true;
  },
  /** What was told of it in other places stays true. */
  removeUnpinned: (world, file) => {
    if (file.pinned) return;
    rmSync(file.path);
    world.drop(file);
  },
  /** A session that has nothing to do with subagents goes elsewhere. */
  moveAlone: (world, file, choice) => {
    if (file.run || readFileSync(file.path, "utf8").includes('"agent"')) return;
    const path = world.newPath(choice);
    renameSync(file.path, path);
    file.path = path;
  },
  /** Sessions and the subagents' below them: the paths that were told lead nowhere. */
  renameProject: (world, file) => {
    const [from, to] = projectOf(world, file);
    if (!from) return;
    renameSync(from, to);
    for (const it of [...world.files, ...world.pending]) it.path = below(it.path, from, to);
  },
  copyProject: (world, file) => {
    const [from, to] = projectOf(world, file);
    if (!from || world.files.length > 12) return; // else worlds double until a run takes minutes
    copyFolder(from, to);
    for (const it of [...world.files]) {
      if (below(it.path, from, to) === it.path) continue;
      it.pinned ||= it.run || it.caller;
      Object.assign(world.add(below(it.path, from, to), it.session), {
        ...it,
        path: below(it.path, from, to),
      });
    }
  },
} satisfies Record<string, LedgerAction>;

/** The folder below the root that a file lies in, and a new name for it. */
function projectOf(world: World, file: SessionFile): [from: string | undefined, to: string] {
  const [project = "", ...rest] = relative(world.root, file.path).split(sep);
  if (rest.length === 0) return [undefined, ""];
  return [join(world.root, project), join(world.root, `project-${world.newId()}`)];
}

function below(path: string, from: string, to: string): string {
  return path.startsWith(from + sep) ? to + path.slice(from.length) : path;
}

/** A fork that was begun later, earlier, at the same time, or at no known time. */
function forkOf(world: World, { session, path }: SessionFile, choice: number, leaf?: string): Session {
  const begun = Date.parse(session.timestamp);
  const timestamp = new Date(
    begun + ([3_600_000, -3_600_000, 0, 60_000][choice % 4] as number),
  ).toISOString();
  const header = choice % 5 === 4 ? { timestamp: undefined } : {};
  return session.fork({
    id: world.newId(),
    version: session.version,
    parentSession: path,
    timestamp,
    header,
    ...(leaf === undefined ? {} : { leaf }),
  });
}

/** Spends money in one of the ways there are. */
function spend(world: World, file: SessionFile, choice: number): void {
  const { session } = file;
  const { act, usd } = world.act();
  const fields = { act, usage: usageOf(usd, choice) };
  const ways: (() => Session)[] = [
    () => answer(session, { act, usd }, choice),
    () => answer(session, { act, usd }, choice),
    () => session.compaction(`Summary ${act}`, session.version === 1 ? 1 : session.lastId, fields),
    () => session.branchSummary(session.lastId, `Left ${act}`, fields),
    () => session.usage(["title", "warm"][choice % 2] as string, {}, fields),
    () => session.toolResult("call_0_0", "imagine", `drawn ${act}`, fields),
  ];
  (ways[choice % ways.length] as () => Session)();
  appendFileSync(file.path, `${session.lines.at(-1)}\n`);
}

function answer(session: Session, { act, usd }: Act, choice: number): Session {
  const model = `model-${choice % 3}`;
  return session.assistant(`Answer ${act}`, { act, model, usage: usageOf(usd, choice) });
}

/** The same amount as pi writes it now and wrote it once: a total, parts alone, the provider's. */
function usageOf(usd: number, choice: number): Fields {
  const cost = [{ total: usd }, { input: usd }, { total: usd, totalFromProvider: true }][choice % 3];
  return { input: choice % 50, output: 7, cacheRead: choice % 9, cacheWrite: 4, cacheWrite1h: 1, cost };
}

/** A call of subagents and its result, each run told in one of the ways there are. */
function callSubagents(world: World, file: SessionFile, choice: number): void {
  const { session: caller } = file;
  const call = `call_${world.newId()}`;
  const { act, usd } = world.act();
  caller.assistant([toolCall(call, "subagent", {})], { act, usage: usageOf(usd, choice) });
  const runs = Array.from({ length: 1 + (choice % 2) }, (_, n) => runOf(world, file, (choice >> 1) + n * 37));
  const results = runs.map(({ result }) => result);
  // Beside parts that are not all told, the sum would be of what may be told elsewhere in part: no one can take it apart.
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

/** A run: what its caller tells of it, and its own session, which is there, or comes, or never does. */
function runOf(world: World, file: SessionFile, choice: number): { result: Fields; usd: number } {
  const name = world.newId();
  const folder = dirname(file.path);
  const inFolder = choice % 3 === 2;
  const path = inFolder
    ? join(folder, basename(file.path, ".jsonl"), "run-0", `${name}.jsonl`)
    : join(folder, "subagent-artifacts", `${name}_scout.jsonl`);
  const timestamp = new Date(Date.parse(file.session.timestamp) + 1_800_000).toISOString();
  const goesOn = choice % 4 === 3 && file.session.version !== 1;
  const run = goesOn
    ? forkOf(world, file, choice >> 2)
    : session({ id: name, cwd: file.session.cwd, timestamp }).user(`Task ${name}`);
  const acts = Array.from({ length: 1 + (choice % 2) }, () => world.act());
  for (const act of acts) answer(run, act, choice);
  const usd = acts.reduce((sum, act) => sum + act.usd, 0);
  const told: Fields[] = [{}, { sessionFile: path }, { artifactPaths: { jsonlPath: path } }];
  told.push({ sessionFile: path, artifactPaths: { jsonlPath: path } });
  const way = (choice >> 1) % 4;
  if (way > 0) {
    if ((choice >> 3) % 3 < 2) world.add(run.write(path), run).run = true;
    else world.pending.push({ path, session: run });
    // What its place beside the caller depends on must stay.
    if (inFolder || goesOn) file.pinned = true;
  }
  const usage = { input: 5, output: 14, cost: usd };
  const told1 = { agent: ["scout", "worker"][choice % 2], model: "model-1:low", ...told[way] };
  return { result: { ...told1, usage, acts: acts.map(({ act }) => act) }, usd };
}
