import { closeSync, ftruncateSync, readdirSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { type Fields, toolCall } from "../../fixtures/blocks.ts";
import { type Session, session } from "../../fixtures/builder.ts";
import { decodePath } from "../../src/path-bytes.ts";
import { LEDGER_ACTIONS } from "./ledger-actions.ts";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "./odd-fs.ts";

/** A random change of a root: the name of an action, and numbers that select its details. */
export interface Step {
  action: keyof typeof ACTIONS;
  /** Index of the file, modulo the number of files. */
  file: number;
  /** Selects all other details. */
  choice: number;
  /** Whether the test syncs the index after this step. */
  sync: boolean;
}

export interface SessionFile {
  path: string;
  /** Builds the next entries; the file itself may have other content by now. */
  session: Session;
  /** The rest of a partly written line. */
  rest: string;
  /** Ids of tool calls, for later results. */
  calls: string[];
  /** Whether it is a subagent session. */
  run: boolean;
  /** Whether it calls subagents. */
  caller: boolean;
  /** Whether the file must stay at its path, because costs could not be attributed without it. */
  pinned: boolean;
}

/** A root with session files, and random changes that agents, users and file systems make to them. */
export class RootSimulation {
  readonly root: string;
  readonly files: SessionFile[] = [];
  /** Reported subagent sessions that are not written yet. */
  readonly pending: { path: string; session: Session }[] = [];
  /** Cost of each billable event in nano-dollars, by event name. */
  readonly costs = new Map<string, number>();
  private readonly isTame: boolean;
  private count = 0;

  /** `isTame`: copies stay in the folder of their original, so that the total cost is known. */
  constructor(root: string, isTame = false) {
    this.root = root;
    this.isTame = isTame;
    mkdirSync(root);
  }

  /** Applies one step, after creating a file if the root has none. */
  take({ action, file, choice }: Step): void {
    if (this.files.length === 0 && action !== "create") ACTIONS.create(this, undefined as never, choice);
    const chosen = this.files[file % Math.max(1, this.files.length)] as SessionFile;
    ACTIONS[action](this, chosen, choice);
  }

  newPath(choice: number): string {
    const folders = [
      "",
      "--home-ada-shop--",
      "--home-ada-blog--",
      "--home-ada-shop--/subagent-artifacts",
      "a/b",
    ];
    const name = `2026-01-05T09-00-00-000Z_${++this.count}.jsonl`;
    // Files in the root itself could not be moved together with their copies.
    if (this.isTame) folders[0] = "--home-ada--";
    const path = join(this.root, folders[choice % folders.length] as string, name);
    mkdirSync(dirname(path));
    return path;
  }

  /** Returns a path for a copy of a file. */
  pathBeside(file: SessionFile, choice: number): string {
    return this.isTame ? join(dirname(file.path), `${++this.count}.jsonl`) : this.newPath(choice);
  }

  newId(): string {
    return `${++this.count}`;
  }

  /** Returns the cost of the billable events in all files in nano-dollars, each event counted once. */
  getTotalCost(): number {
    const names = new Set<string>();
    for (const name of readdirSync(this.root, { recursive: true }) as string[]) {
      const path = join(this.root, name);
      if (!statSync(path).isFile()) continue;
      for (const [name] of readFileSync(path, "utf8").matchAll(/act-\d+\./g)) names.add(name);
    }
    return [...names].reduce((sum, name) => sum + (this.costs.get(name) as number), 0);
  }

  /** Creates a billable event: a name that every record of it contains, and a cost that no other event has. */
  newEvent(): { act: string; usd: number } {
    const act = `act-${this.costs.size}.`;
    const nanoDollars = 1_000_000 + 1_009 * this.costs.size;
    this.costs.set(act, nanoDollars);
    return { act, usd: nanoDollars / 1e9 };
  }

  newSession(choice: number): Session {
    return session({
      id: `session-${++this.count}`,
      cwd: choice % 2 ? "/home/ada/shop" : "/home/ada/blog",
      timestamp: new Date(Date.UTC(2026, 0, 5, 9 + (choice % 4))).toISOString(),
      version: this.isTame ? 3 : ((1 + (choice % 3)) as 1 | 2 | 3),
      before: choice % 7 === 0 ? ['{"type":"title","title":"one"}'] : [],
      headless: !this.isTame && choice % 11 === 0,
    });
  }

  add(path: string, session: Session): SessionFile {
    const file = { path, session, rest: "", calls: [], run: false, caller: false, pinned: false };
    this.files.push(file);
    return file;
  }

  drop(file: SessionFile): void {
    this.files.splice(this.files.indexOf(file), 1);
  }
}

type Action = (simulation: RootSimulation, file: SessionFile, choice: number) => void;

const ACTIONS = {
  create: (simulation, _, choice) => {
    const file = simulation.add(simulation.newPath(choice), simulation.newSession(choice >> 3));
    file.session.user(`Begin number ${choice}`);
    file.session.write(file.path);
  },
  append: (_, file, choice) => {
    for (let n = 0; n <= choice % 3; n++) append(file, `${nextEntry(file, choice + n)}\n`);
  },
  appendHalf: (_, file, choice) => {
    const line = Buffer.from(`${nextEntry(file, choice)}\n`);
    const cut = 1 + (choice % (line.length - 1));
    file.rest = line.subarray(cut).toString("latin1");
    append(file, line.subarray(0, cut));
  },
  appendRest: (_, file) => {
    append(file, Buffer.from(file.rest, "latin1"));
    file.rest = "";
  },
  appendWithoutNewline: (_, file, choice) => append(file, nextEntry(file, choice)),
  appendNewline: (_, file) => append(file, "\n"),
  appendJunk: (_, file, choice) => append(file, `${JUNK[choice % JUNK.length]}\n`),
  label: (_, file, choice) => {
    const { session } = file;
    const target = session.entries[choice % Math.max(1, session.entries.length)]?.id ?? "unknown";
    session.label(String(target), choice % 3 ? `label ${choice}` : undefined);
    append(file, `${session.lines.at(-1)}\n`);
  },
  setMetadata: (_, file, choice) => {
    const { session } = file;
    session.entry(METADATA_ENTRIES[choice % METADATA_ENTRIES.length] as Fields);
    append(file, `${session.lines.at(-1)}\n`);
  },
  /** The parent of the next entry is an earlier entry, none, or an entry that does not exist yet. */
  branch: (_, file, choice) => {
    const { session } = file;
    const earlier = session.entries[choice % Math.max(1, session.entries.length)]?.id;
    session.branch(
      [String(earlier ?? "unknown"), String(earlier), null, "later"][choice % 4] as string | null,
    );
    append(file, `${nextEntry(file, choice >> 2)}\n`);
  },
  /** An entry with an id that is in use, or that is already referenced as a parent. */
  sameId: (_, file, choice) => {
    const { session } = file;
    const earlier = session.entries[choice % Math.max(1, session.entries.length)]?.id;
    session.user(`Again ${choice}`, { id: choice % 5 ? (earlier ?? "later") : "later" });
    append(file, `${session.lines.at(-1)}\n`);
  },
  call: (_, file, choice) => {
    const id = `call_${file.calls.length}_${choice % 3}`;
    const path = `src/file-${choice % 4}.ts`;
    const block =
      choice % 3 ? toolCall(id, "read", { path }) : toolCall(id, "bash", { command: `rm ${path}` });
    file.session.assistant([block]);
    file.calls.push(id);
    append(file, `${file.session.lines.at(-1)}\n`);
  },
  result: (_, file, choice) => {
    const id = file.calls[choice % Math.max(1, file.calls.length)] ?? "call_unknown";
    file.session.toolResult(id, "read", `content ${choice}`, { isError: choice % 2 === 0 });
    append(file, `${file.session.lines.at(-1)}\n`);
  },
  /** The result of a script that made tool calls itself: for a recorded call, or for an unknown one. */
  script: (_, file, choice) => {
    const id = file.calls[choice % (1 + file.calls.length)] ?? "call_unknown";
    const nested = [
      {
        id: `${id}/1`,
        name: "read",
        status: "ok",
        arguments: { path: `src/file-${choice % 4}.ts` },
        durationMs: choice % 50,
      },
      {
        id: `${id}/2`,
        name: "bash",
        status: choice % 3 ? "error" : "ok",
        arguments: { command: "rm src/file-0.ts" },
      },
      { id: `${id}/1/1`, name: "write", status: "unfinished", argumentsBytes: 9_000 },
    ];
    file.session.toolResult(id, "codemode", `script ${choice}`, {
      isError: choice % 5 === 0,
      ...(choice % 2 && { durationMs: choice % 1_000 }),
      nestedCalls: { calls: nested.slice(0, 1 + (choice % 3)), complete: false },
    });
    append(file, `${file.session.lines.at(-1)}\n`);
  },
  fork: (simulation, file, choice) => {
    const fork = file.session.fork({ id: `fork-${choice}`, version: 3 });
    simulation.add(fork.write(simulation.newPath(choice)), fork);
  },
  /** Rewrites the file as pi's upgrade does: truncates and writes the same inode. */
  upgradeInPlace: (_, file) => {
    const upgraded = upgrade(file.session);
    rewrite(file.path, upgraded.bytes());
    file.session = upgraded;
  },
  /** Changes a letter; the size stays, and the mtime may be restored. */
  rewriteSameSize: (_, file, choice) => {
    const { atime, mtime } = statSync(file.path);
    const bytes = readFileSync(file.path);
    const letters = [...bytes.keys()].filter((at) => bytes[at] === 0x6e || bytes[at] === 0x6d);
    const at = letters[choice % Math.max(1, letters.length)];
    if (at !== undefined) bytes[at] = bytes[at] === 0x6e ? 0x6d : 0x6e;
    rewrite(file.path, bytes);
    if (choice % 2) utimesSync(file.path, atime, mtime);
  },
  /** Overwrites some bytes in place, as `dd` does; may also append, and restore the mtime. */
  editInPlace: (simulation, file, choice) => {
    const { atime, mtime, size } = statSync(file.path);
    const by = EDITS[choice % EDITS.length] as string;
    const fd = openSync(file.path, "r+");
    writeSync(fd, by, (choice * 7919) % (size + 1));
    closeSync(fd);
    if (choice % 3) ACTIONS.append(simulation, file, choice);
    if (choice % 2) utimesSync(file.path, atime, mtime);
  },
  /** Masks a word everywhere, as `sed -i` does: in a new file with the old name. */
  redact: (simulation, file, choice) => {
    const { atime, mtime } = statSync(file.path);
    const masked = readFileSync(file.path, "utf8").replaceAll(
      /Question|Answer|Summary/g,
      EDITS[choice % EDITS.length] as string,
    );
    writeFileSync(`${file.path}.sed`, masked);
    renameSync(`${file.path}.sed`, file.path);
    if (choice % 3 === 0) ACTIONS.append(simulation, file, choice);
    if (choice % 2) utimesSync(file.path, atime, mtime);
  },
  /** Appends a long line: an edit before it is far from both ends of the file. */
  fill: (_, file, choice) => {
    const { session } = file;
    session.entry({ type: "custom", customType: "filler", data: "n".repeat(40_000 + choice) });
    append(file, `${session.lines.at(-1)}\n`);
  },
  changeMode: (_, file, choice) => chmodSync(file.path, choice % 2 ? 0o600 : 0o644),
  /** Renames to bytes that are mostly not UTF-8; several such names decode to the same text. */
  oddName: (simulation, file, choice) => {
    const path = join(dirname(file.path), `${oddName(choice)}.jsonl`);
    renameSync(file.path, path);
    for (const other of [...simulation.files])
      if (other !== file && other.path === path) simulation.drop(other);
    file.path = path;
  },
  oddFolder: (simulation, file, choice) => {
    const folder = dirname(file.path);
    if (folder === simulation.root) return;
    const renamed = join(dirname(folder), `${oddName(choice)}${simulation.files.length}`);
    try {
      renameSync(folder, renamed);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
      return;
    }
    for (const other of simulation.files) {
      if (other.path.startsWith(`${folder}/`)) other.path = renamed + other.path.slice(folder.length);
    }
  },
  /** Adds a hard link, which no other action changes. */
  secondName: (simulation, file, choice) => linkSync(file.path, simulation.newPath(choice)),
  /** Adds a symbolic link to a folder, a file, itself, or the root. */
  link: (simulation, file, choice) => {
    const path = simulation.newPath(choice >> 3);
    const folder = path.slice(0, -".jsonl".length);
    const links: (() => void)[] = [
      () => symlinkSync(dirname(file.path), folder),
      () => symlinkSync(file.path, path),
      () => symlinkSync(basename(path), path),
      () => symlinkSync(basename(folder), folder),
      () => symlinkSync(simulation.root, folder),
    ];
    (links[choice % links.length] as () => void)();
  },
  /** Replaces the file by a new one with its name, as editors save. */
  replace: (_, file, choice) => {
    const bytes = readFileSync(file.path);
    const content =
      choice % 3 === 0 ? bytes : Buffer.concat([bytes, Buffer.from(`${nextEntry(file, choice)}\n`)]);
    writeFileSync(`${file.path}.new`, content);
    renameSync(`${file.path}.new`, file.path);
  },
  truncate: (_, file, choice) => truncateSync(file.path, choice % (statSync(file.path).size + 1)),
  remove: (simulation, file) => {
    rmSync(file.path);
    simulation.drop(file);
  },
  rename: (_, file, choice) => {
    const path = join(dirname(file.path), `${choice % 5}-${basename(file.path)}`);
    renameSync(file.path, path);
    file.path = path;
  },
  move: (simulation, file, choice) => {
    const path = simulation.newPath(choice);
    renameSync(file.path, path);
    file.path = path;
  },
  renameAndAppend: (simulation, file, choice) => {
    ACTIONS.move(simulation, file, choice);
    ACTIONS.append(simulation, file, choice);
  },
  moveOntoOther: (simulation, file, choice) => {
    const other = simulation.files[choice % simulation.files.length] as SessionFile;
    if (other === file) return;
    renameSync(file.path, other.path);
    file.path = other.path;
    simulation.drop(other);
  },
  swap: (simulation, file, choice) => {
    const other = simulation.files[choice % simulation.files.length] as SessionFile;
    renameSync(file.path, `${file.path}.swap`);
    renameSync(other === file ? `${file.path}.swap` : other.path, file.path);
    if (other === file) return;
    renameSync(`${file.path}.swap`, other.path);
    [file.path, other.path] = [other.path, file.path];
  },
  renameFolder: (simulation, file, choice) => {
    const folder = dirname(file.path);
    if (folder === simulation.root) return;
    const renamed = `${folder}-${choice % 10}x${simulation.files.length}`;
    renameSync(folder, renamed);
    for (const other of simulation.files) {
      if (other.path.startsWith(`${folder}/`)) other.path = renamed + other.path.slice(folder.length);
    }
  },
  touch: (_, file, choice) => utimesSync(file.path, 1_700_000_000, 1_700_000_000 + (choice % 1000)),
  recreate: (simulation, file, choice) => {
    rmSync(file.path);
    file.session = simulation.newSession(choice).user(`Again number ${choice}`);
    file.session.write(file.path);
    file.rest = "";
  },
  /** Deletes the file and creates another one, which often gets its inode. */
  replaceElsewhere: (simulation, file, choice) => {
    rmSync(file.path);
    simulation.drop(file);
    ACTIONS.create(simulation, file, choice);
  },
  hardLink: (simulation, file, choice) => {
    const path = simulation.newPath(choice);
    linkSync(file.path, path);
    rmSync(file.path);
    file.path = path;
  },
  linkToNothing: (simulation, file, choice) => {
    const target = join(simulation.root, "not-there-yet");
    const path = simulation.newPath(choice);
    if (choice % 2) renameSync(file.path, target);
    symlinkSync(target, path);
    if (choice % 2) simulation.drop(file);
  },
  /** Appends a line of another session or its own: costs are recorded where no fork would record them. */
  pasteLine: (simulation, file, choice) => {
    const other = simulation.files[choice % simulation.files.length] as SessionFile;
    const lines = readFileSync(other.path, "utf8").split("\n");
    append(file, `${lines[(choice >> 3) % lines.length]}\n`);
  },
  ...LEDGER_ACTIONS,
} satisfies Record<string, Action>;

const EDITS = ["", "*", "redacted", "\n", '"}', "\xff", "n".repeat(40)];

const ODD_BYTES = [[0xff], [0xfe], [0xef, 0xbf, 0xbd], [0xf4, 0x8f, 0xbb, 0xbf], [0xc3], [0xe2, 0x82]];

/** Returns a decoded file name, whose bytes are mostly not UTF-8. */
function oddName(choice: number): string {
  const at = (n: number) => ODD_BYTES[n % ODD_BYTES.length] as number[];
  return `d${decodePath(Uint8Array.from([...at(choice), ...at(choice >> 4)]))}`;
}

const JUNK = [
  "",
  "   ",
  "no JSON",
  '{"type":"message",',
  "null",
  "12",
  "[1,2]",
  "{}",
  '{"type":"session","id":"second"}',
  '{"type":"message","message":{"role":"user","content":5},"timestamp":7}',
  '{"type":"message","id":5,"parentId":"5","message":{"role":"assistant","usage":{"input":-1}}}',
  "\r",
];

/** Entries that pin, archive and tag, and entries that look similar but have no effect. */
const METADATA_ENTRIES: Fields[] = [
  ...[
    { pinned: true },
    { archived: true, tags: ["later", " later ", "", "Später", "数据库"] },
    { pinned: false, tags: [] },
    { archived: false, pinned: "yes", tags: ["again", "\ud800", "nul\0nul"] },
    { tags: ["later", "again"], color: "red" },
    { tags: ["one", 2], archived: null, pinned: true },
    { tags: "later", pinned: 1 },
    ["pinned"],
    null,
    "pinned",
    undefined,
  ].map((data) => ({ type: "custom", customType: "pidex", data })),
  { type: "custom", customType: "another", data: { pinned: true, tags: ["theirs"] } },
  { type: "custom", customType: ["pidex"], data: { archived: true } },
  { type: "custom_message", customType: "pidex", data: { archived: true } },
  { type: "custom", customType: "pidex", data: { pinned: true }, id: null, parentId: 7 },
];

/** Adds an entry of some kind to the session, and returns its line. */
function nextEntry({ session }: SessionFile, choice: number): string {
  const kinds: (() => Session)[] = [
    () => session.user(`Question ${choice} 数据库 parseEntries`),
    () => session.assistant(`Answer ${choice}`, { tokens: { input: choice, output: 7 } }),
    () => session.model("openai", `gpt-${choice % 4}`),
    () => session.name(choice % 5 ? `Name ${choice}` : ""),
    () =>
      session.compaction(`Summary ${choice}`, session.version === 1 ? 1 : session.lastId, {
        details: { readFiles: [`src/file-${choice % 5}.ts`], modifiedFiles: [`out/${choice}.ts`] },
      }),
    () => session.branchSummary(session.lastId, `Left ${choice}`),
    () => session.usage("title", { input: choice }),
    () => session.bash(`cat a.ts > src/file-${choice % 4}.ts`, `file ${choice}`, { exitCode: choice % 2 }),
    () => session.message({ role: "hookMessage", content: `hook ${choice}` }),
    () => session.entry(METADATA_ENTRIES[(choice >> 4) % METADATA_ENTRIES.length] as Fields),
    () =>
      session.toolResult(`call_0_${choice % 3}`, "subagent", "done", {
        details: { results: [{ agent: "scout", usage: { input: choice, cost: 0.1 }, sessionFile: "/x" }] },
      }),
  ];
  (kinds[choice % kinds.length] as () => Session)();
  return session.lines.at(-1) as string;
}

function append({ path }: SessionFile, text: string | Buffer): void {
  appendFileSync(path, text);
}

function rewrite(path: string, bytes: Buffer): void {
  const fd = openSync(path, "r+");
  try {
    ftruncateSync(fd, 0);
    writeSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
}

function upgrade(old: Session): Session {
  const upgraded = session({ id: old.id, cwd: old.cwd, version: 3 });
  for (const entry of old.entries) {
    const { firstKeptEntryIndex: _, ...rest } = entry as Fields;
    upgraded.entry(rest);
  }
  return upgraded;
}

const anyStep = (actions: Step["action"][]): fc.Arbitrary<Step> =>
  fc.record({
    action: fc.constantFrom(...actions),
    file: fc.nat(5),
    choice: fc.nat(10_000),
    sync: fc.boolean(),
  });

const ledgerActions = Object.keys(LEDGER_ACTIONS) as (keyof typeof LEDGER_ACTIONS)[];

/** Actions on file names and links, which other programs that read a root do not support. */
const ODD_ACTIONS = ["oddName", "oddFolder", "link"] as const;
const isOdd = (action: string) => (ODD_ACTIONS as readonly string[]).includes(action);
const allActions = Object.keys(ACTIONS) as Step["action"][];

const COMMON = [
  {
    weight: 2,
    arbitrary: anyStep(["create", "append", "branch", "label", "setMetadata", "call", "result"]),
  },
  {
    weight: 2,
    arbitrary: anyStep(["appendHalf", "appendRest", "appendWithoutNewline", "appendNewline", "appendJunk"]),
  },
  { weight: 3, arbitrary: anyStep(allActions.filter((action) => !isOdd(action))) },
  { weight: 3, arbitrary: anyStep([...ledgerActions, "pasteLine"]) },
];

/** Random steps; common actions are frequent. */
export const steps: fc.Arbitrary<Step[]> = fc.array(fc.oneof(...COMMON), { minLength: 8, maxLength: 22 });

/** The same, with edits, names and links that a sync can hardly detect. */
export const oddSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    ...COMMON,
    {
      weight: 3,
      arbitrary: anyStep([
        "fill",
        "editInPlace",
        "editInPlace",
        "redact",
        "touch",
        "truncate",
        "changeMode",
        "rename",
      ]),
    },
    { weight: 3, arbitrary: anyStep([...ODD_ACTIONS, "secondName", "renameFolder", "remove"]) },
  ),
  { minLength: 8, maxLength: 26 },
);

/** Steps after which the total cost is known: all files are complete and all subagent sessions can be found. */
export const tameSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: anyStep(["create", "label"]) },
    { weight: 6, arbitrary: anyStep(ledgerActions) },
  ),
  { minLength: 8, maxLength: 30 },
);
