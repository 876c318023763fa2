import { closeSync, ftruncateSync, readdirSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { type Fields, toolCall } from "../../fixtures/blocks.ts";
import { type Session, session } from "../../fixtures/builder.ts";
import { decodePath } from "../../src/path-bytes.ts";
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
import { LEDGER_ACTIONS } from "./world-ledger.ts";

/** What may happen to a root: the name of an action, and numbers it chooses by. */
export interface Step {
  action: keyof typeof ACTIONS;
  /** Which file, counted round. */
  file: number;
  /** Anything else there is to choose. */
  choice: number;
  /** Whether the index is synced afterwards. */
  sync: boolean;
}

export interface SessionFile {
  path: string;
  /** Where its next entries come from; the file itself may by now hold something else. */
  session: Session;
  /** The end of a line of which only the start was written. */
  rest: string;
  /** Calls without a result so far. */
  calls: string[];
  /** Whether it is a subagent's. */
  run: boolean;
  /** Whether it called subagents. */
  caller: boolean;
  /** Whether money would no longer be found where it was told without this file, at this place. */
  pinned: boolean;
}

/** A root that things happen to: what agents, people and file systems do to session files. */
export class World {
  readonly root: string;
  readonly files: SessionFile[] = [];
  /** Reported subagent sessions that are not written yet. */
  readonly pending: { path: string; session: Session }[] = [];
  /** What each act of spending came to, in nano-dollars, by its name. */
  readonly acts = new Map<string, number>();
  private readonly isTame: boolean;
  private count = 0;

  /** In a tame one copies lie beside what they are copies of. */
  constructor(root: string, isTame = false) {
    this.root = root;
    this.isTame = isTame;
    mkdirSync(root);
  }

  /** Does one step; one that needs a file makes one when there is none. */
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
    // In the root itself nothing that belongs together is moved together.
    if (this.isTame) folders[0] = "--home-ada--";
    const path = join(this.root, folders[choice % folders.length] as string, name);
    mkdirSync(dirname(path));
    return path;
  }

  /** A path for a copy of a file. */
  pathBeside(file: SessionFile, choice: number): string {
    return this.isTame ? join(dirname(file.path), `${++this.count}.jsonl`) : this.newPath(choice);
  }

  newId(): string {
    return `${++this.count}`;
  }

  /** Cost of all billable events in any file, each counted once. */
  spent(): number {
    const told = new Set<string>();
    for (const name of readdirSync(this.root, { recursive: true }) as string[]) {
      const path = join(this.root, name);
      if (!statSync(path).isFile()) continue;
      for (const [act] of readFileSync(path, "utf8").matchAll(/act-\d+\./g)) told.add(act);
    }
    return [...told].reduce((sum, act) => sum + (this.acts.get(act) as number), 0);
  }

  /** Money is spent: for what, and how much. No two acts cost the same. */
  act(): { act: string; usd: number } {
    const act = `act-${this.acts.size}.`;
    const nano = 1_000_000 + 1_009 * this.acts.size;
    this.acts.set(act, nano);
    return { act, usd: nano / 1e9 };
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

type Action = (world: World, file: SessionFile, choice: number) => void;

const ACTIONS = {
  create: (world, _, choice) => {
    const file = world.add(world.newPath(choice), world.newSession(choice >> 3));
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
    const target = session.entries[choice % Math.max(1, session.entries.length)]?.id ?? "nobody";
    session.label(String(target), choice % 3 ? `label ${choice}` : undefined);
    append(file, `${session.lines.at(-1)}\n`);
  },
  organize: (_, file, choice) => {
    const { session } = file;
    session.entry(ORGANIZING[choice % ORGANIZING.length] as Fields);
    append(file, `${session.lines.at(-1)}\n`);
  },
  /** The next entry hangs from an earlier one; from nothing; from one that is still to come. */
  branch: (_, file, choice) => {
    const { session } = file;
    const earlier = session.entries[choice % Math.max(1, session.entries.length)]?.id;
    session.branch(
      [String(earlier ?? "nobody"), String(earlier), null, "later"][choice % 4] as string | null,
    );
    append(file, `${nextEntry(file, choice >> 2)}\n`);
  },
  /** An existing id, or one that is referenced already. */
  sameId: (_, file, choice) => {
    const { session } = file;
    const earlier = session.entries[choice % Math.max(1, session.entries.length)]?.id;
    session.user(`Again ${choice}`, { id: choice % 5 ? (earlier ?? "later") : "later" });
    append(file, `${session.lines.at(-1)}\n`);
  },
  call: (_, file, choice) => {
    const id = `call_${file.calls.length}_${choice % 3}`;
    const path = `src/file-${choice % 4}.ts`;
    const called =
      choice % 3 ? toolCall(id, "read", { path }) : toolCall(id, "bash", { command: `rm ${path}` });
    file.session.assistant([called]);
    file.calls.push(id);
    append(file, `${file.session.lines.at(-1)}\n`);
  },
  result: (_, file, choice) => {
    const id = file.calls[choice % Math.max(1, file.calls.length)] ?? "call_nobody_made";
    file.session.toolResult(id, "read", `content ${choice}`, { isError: choice % 2 === 0 });
    append(file, `${file.session.lines.at(-1)}\n`);
  },
  /** The result of a script, which made calls itself: of a call that was made, or of none. */
  script: (_, file, choice) => {
    const id = file.calls[choice % (1 + file.calls.length)] ?? "call_nobody_made";
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
  fork: (world, file, choice) => {
    const fork = file.session.fork({ id: `fork-${choice}`, version: 3 });
    world.add(fork.write(world.newPath(choice)), fork);
  },
  /** Rewrites like pi's upgrade: truncates and writes the same inode. */
  upgradeInPlace: (_, file) => {
    const upgraded = upgrade(file.session);
    rewrite(file.path, upgraded.bytes());
    file.session = upgraded;
  },
  /** Letters change, the size does not, and the mtime may be put back. */
  rewriteSameSize: (_, file, choice) => {
    const { atime, mtime } = statSync(file.path);
    const bytes = readFileSync(file.path);
    const letters = [...bytes.keys()].filter((at) => bytes[at] === 0x6e || bytes[at] === 0x6d);
    const at = letters[choice % Math.max(1, letters.length)];
    if (at !== undefined) bytes[at] = bytes[at] === 0x6e ? 0x6d : 0x6e;
    rewrite(file.path, bytes);
    if (choice % 2) utimesSync(file.path, atime, mtime);
  },
  /** Some bytes are overwritten where they are, as `dd` does; more may be appended, and the mtime put back. */
  editInPlace: (world, file, choice) => {
    const { atime, mtime, size } = statSync(file.path);
    const by = EDITS[choice % EDITS.length] as string;
    const fd = openSync(file.path, "r+");
    writeSync(fd, by, (choice * 7919) % (size + 1));
    closeSync(fd);
    if (choice % 3) ACTIONS.append(world, file, choice);
    if (choice % 2) utimesSync(file.path, atime, mtime);
  },
  /** A word is masked everywhere, as `sed -i` does: in a new file of the old name. */
  redact: (world, file, choice) => {
    const { atime, mtime } = statSync(file.path);
    const masked = readFileSync(file.path, "utf8").replaceAll(
      /Question|Answer|Summary/g,
      EDITS[choice % EDITS.length] as string,
    );
    writeFileSync(`${file.path}.sed`, masked);
    renameSync(`${file.path}.sed`, file.path);
    if (choice % 3 === 0) ACTIONS.append(world, file, choice);
    if (choice % 2) utimesSync(file.path, atime, mtime);
  },
  /** A long line, in front of which an edit is far from both ends of the file. */
  fill: (_, file, choice) => {
    const { session } = file;
    session.entry({ type: "custom", customType: "filler", data: "n".repeat(40_000 + choice) });
    append(file, `${session.lines.at(-1)}\n`);
  },
  changeMode: (_, file, choice) => chmodSync(file.path, choice % 2 ? 0o600 : 0o644),
  /** Names that are bytes, most of them not UTF-8; many are the same when they are read as that. */
  oddName: (world, file, choice) => {
    const path = join(dirname(file.path), `${oddText(choice)}.jsonl`);
    renameSync(file.path, path);
    for (const other of [...world.files]) if (other !== file && other.path === path) world.drop(other);
    file.path = path;
  },
  oddFolder: (world, file, choice) => {
    const folder = dirname(file.path);
    if (folder === world.root) return;
    const renamed = join(dirname(folder), `${oddText(choice)}${world.files.length}`);
    try {
      renameSync(folder, renamed);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
      return;
    }
    for (const other of world.files) {
      if (other.path.startsWith(`${folder}/`)) other.path = renamed + other.path.slice(folder.length);
    }
  },
  /** A second name of the same file, which nothing else happens to. */
  secondName: (world, file, choice) => linkSync(file.path, world.newPath(choice)),
  /** A link to a folder, to a file, to itself, or in a circle. */
  link: (world, file, choice) => {
    const path = world.newPath(choice >> 3);
    const folder = path.slice(0, -".jsonl".length);
    const links: (() => void)[] = [
      () => symlinkSync(dirname(file.path), folder),
      () => symlinkSync(file.path, path),
      () => symlinkSync(basename(path), path),
      () => symlinkSync(basename(folder), folder),
      () => symlinkSync(world.root, folder),
    ];
    (links[choice % links.length] as () => void)();
  },
  /** As editors save: a new file takes the name. */
  replace: (_, file, choice) => {
    const bytes = readFileSync(file.path);
    const keep =
      choice % 3 === 0 ? bytes : Buffer.concat([bytes, Buffer.from(`${nextEntry(file, choice)}\n`)]);
    writeFileSync(`${file.path}.new`, keep);
    renameSync(`${file.path}.new`, file.path);
  },
  truncate: (_, file, choice) => truncateSync(file.path, choice % (statSync(file.path).size + 1)),
  remove: (world, file) => {
    rmSync(file.path);
    world.drop(file);
  },
  rename: (_, file, choice) => {
    const path = join(dirname(file.path), `${choice % 5}-${basename(file.path)}`);
    renameSync(file.path, path);
    file.path = path;
  },
  move: (world, file, choice) => {
    const path = world.newPath(choice);
    renameSync(file.path, path);
    file.path = path;
  },
  renameAndAppend: (world, file, choice) => {
    ACTIONS.move(world, file, choice);
    ACTIONS.append(world, file, choice);
  },
  moveOntoOther: (world, file, choice) => {
    const other = world.files[choice % world.files.length] as SessionFile;
    if (other === file) return;
    renameSync(file.path, other.path);
    file.path = other.path;
    world.drop(other);
  },
  swap: (world, file, choice) => {
    const other = world.files[choice % world.files.length] as SessionFile;
    renameSync(file.path, `${file.path}.swap`);
    renameSync(other === file ? `${file.path}.swap` : other.path, file.path);
    if (other === file) return;
    renameSync(`${file.path}.swap`, other.path);
    [file.path, other.path] = [other.path, file.path];
  },
  renameFolder: (world, file, choice) => {
    const folder = dirname(file.path);
    if (folder === world.root) return;
    const renamed = `${folder}-${choice % 10}x${world.files.length}`;
    renameSync(folder, renamed);
    for (const other of world.files) {
      if (other.path.startsWith(`${folder}/`)) other.path = renamed + other.path.slice(folder.length);
    }
  },
  touch: (_, file, choice) => utimesSync(file.path, 1_700_000_000, 1_700_000_000 + (choice % 1000)),
  recreate: (world, file, choice) => {
    rmSync(file.path);
    file.session = world.newSession(choice).user(`Again number ${choice}`);
    file.session.write(file.path);
    file.rest = "";
  },
  /** The old file goes and a new one comes, which often gets its inode. */
  replaceElsewhere: (world, file, choice) => {
    rmSync(file.path);
    world.drop(file);
    ACTIONS.create(world, file, choice);
  },
  hardLink: (world, file, choice) => {
    const path = world.newPath(choice);
    linkSync(file.path, path);
    rmSync(file.path);
    file.path = path;
  },
  linkToNothing: (world, file, choice) => {
    const target = join(world.root, "not-there-yet");
    const path = world.newPath(choice);
    if (choice % 2) renameSync(file.path, target);
    symlinkSync(target, path);
    if (choice % 2) world.drop(file);
  },
  /** A line of another session, or of its own: acts are told where no fork would tell them. */
  pasteLine: (world, file, choice) => {
    const other = world.files[choice % world.files.length] as SessionFile;
    const lines = readFileSync(other.path, "utf8").split("\n");
    append(file, `${lines[(choice >> 3) % lines.length]}\n`);
  },
  ...LEDGER_ACTIONS,
} satisfies Record<string, Action>;

const EDITS = ["", "*", "redacted", "\n", '"}', "\xff", "n".repeat(40)];

const ODD_BYTES = [[0xff], [0xfe], [0xef, 0xbf, 0xbd], [0xf4, 0x8f, 0xbb, 0xbf], [0xc3], [0xe2, 0x82]];

/** The text of a name that is mostly not UTF-8. */
function oddText(choice: number): string {
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

/** What pins, archives and tags, and what only looks like it. */
const ORGANIZING: Fields[] = [
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

/** Adds an entry of some kind to the session, and gives its line. */
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
    () => session.entry(ORGANIZING[(choice >> 4) % ORGANIZING.length] as Fields),
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

const stepOf = (actions: Step["action"][]): fc.Arbitrary<Step> =>
  fc.record({
    action: fc.constantFrom(...actions),
    file: fc.nat(5),
    choice: fc.nat(10_000),
    sync: fc.boolean(),
  });

const ledgerActions = Object.keys(LEDGER_ACTIONS) as (keyof typeof LEDGER_ACTIONS)[];

/** What happens to the names and links of files, of which other ways to read a root know nothing. */
const ODD = ["oddName", "oddFolder", "link"] as const;
const isOdd = (action: string) => (ODD as readonly string[]).includes(action);
const all = Object.keys(ACTIONS) as Step["action"][];

const COMMON = [
  {
    weight: 2,
    arbitrary: stepOf(["create", "append", "branch", "label", "organize", "call", "result"]),
  },
  {
    weight: 2,
    arbitrary: stepOf(["appendHalf", "appendRest", "appendWithoutNewline", "appendNewline", "appendJunk"]),
  },
  { weight: 3, arbitrary: stepOf(all.filter((action) => !isOdd(action))) },
  { weight: 3, arbitrary: stepOf([...ledgerActions, "pasteLine"]) },
];

/** Steps of which the common ones are common. */
export const steps: fc.Arbitrary<Step[]> = fc.array(fc.oneof(...COMMON), { minLength: 8, maxLength: 22 });

/** The same, with edits, names and links that a sync can hardly distinguish. */
export const oddSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    ...COMMON,
    {
      weight: 3,
      arbitrary: stepOf([
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
    { weight: 3, arbitrary: stepOf([...ODD, "secondName", "renameFolder", "remove"]) },
  ),
  { minLength: 8, maxLength: 26 },
);

/** Steps after which it is known what was spent: of files that are whole, and runs that are found. */
export const tameSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: stepOf(["create", "label"]) },
    { weight: 6, arbitrary: stepOf(ledgerActions) },
  ),
  { minLength: 8, maxLength: 30 },
);
