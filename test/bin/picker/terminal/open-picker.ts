/** Runs the picker in a terminal, with its own sessions and home folder. */

import { mkdirSync, realpathSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { type Session, type SessionOptions, session } from "../../../../fixtures/builder.ts";
import { folderName } from "../../../../fixtures/names.ts";
import { openIndex } from "../../../../library/index.ts";
import { BUILT_PIDEX } from "../../../built.ts";
import { temporaryFolder } from "../../../temporary.ts";
import { openTerminal, type TestTerminal } from "../../../terminal.ts";

type Context = Pick<TestContext, "onTestFinished">;

/** A home folder with sessions and project folders. */
export class TestHome {
  readonly folder: string;
  readonly sessions: string;
  /** First folder on the PATH. */
  readonly programs: string;
  readonly env: NodeJS.ProcessEnv;
  readonly context: Context | undefined;

  constructor(context?: Context) {
    this.context = context;
    this.folder = realpathSync(temporaryFolder(context));
    this.sessions = join(this.folder, ".pi", "agent", "sessions");
    this.programs = join(this.folder, "bin");
    mkdirSync(this.programs);
    mkdirSync(this.sessions, { recursive: true });
    this.env = {
      HOME: this.folder,
      XDG_CONFIG_HOME: join(this.folder, "config"),
      XDG_DATA_HOME: join(this.folder, "data"),
      PIDEX_DB: join(this.folder, "index.db"),
      PIDEX_ROOTS: this.sessions,
      PIDEX_STAY_SIGNED_IN: "never", // tests run side by side: one port is not enough
      PATH: `${this.programs}:/usr/bin:/bin`,
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    };
  }

  /** The folder of a project, which is created. */
  project(name: string): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** A session in a project, not written yet. */
  begin(project: string, timestamp: string, options: SessionOptions = {}): Session {
    return session({ cwd: this.project(project), timestamp, ...options });
  }

  /** Writes a session's file, with the session's modification time: it does not look active. */
  put(draft: Session): string {
    const path = draft.write(this.pathOf(draft));
    utimesSync(path, new Date(draft.timestamp), new Date(draft.timestamp));
    return path;
  }

  pathOf(draft: Session): string {
    return join(this.sessions, folderName(draft.cwd), draft.fileName);
  }

  /** A shell script on the PATH. */
  program(name: string, script: string): void {
    writeFileSync(join(this.programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  settings(toml: string): void {
    mkdirSync(join(this.folder, "config", "pidex"), { recursive: true });
    writeFileSync(join(this.folder, "config", "pidex", "config.toml"), toml);
  }
}

/** A few sessions of three projects. */
export function writeSampleSessions(home: TestHome) {
  const checkout = home
    .begin("shop", "2026-01-05T09:00:00.000Z")
    .user("Why is the tax added twice?")
    .tool("read", { path: "src/checkout.ts" }, "export function total(cart) {}")
    .assistant("It is **rounded** twice at checkout.");
  const fork = checkout
    .fork({
      timestamp: "2026-01-07T09:00:00.000Z",
      leaf: checkout.entries[0]?.id as string,
      parentSession: home.pathOf(checkout),
    })
    .assistant("Another way: add it to the sum.")
    .name("Tax, another way");
  checkout.name("Checkout tax");
  const kettles = home
    .begin("blog", "2026-01-07T12:00:00.000Z")
    .user("Write about kettles")
    .assistant("A kettle is taxed, too.");
  const prices = home.begin("shop", "2026-01-08T09:00:00.000Z").user("Which prices end in 99?");
  const question = prices.lastId;
  prices.assistant("Most of them.").user("And in yen?").assistant("None that a zebra would pay.");
  prices.branch(question).assistant("Nearly all.").user("And in euros?").assistant("Nearly all, too.");
  const archived = home
    .begin("shop", "2026-01-01T09:00:00.000Z")
    .user("The old till")
    .custom("pidex", { archived: true });
  const put = (session: Session) => ({ session, path: home.put(session) });
  return {
    checkout: put(checkout),
    fork: put(fork),
    kettles: put(kettles),
    prices: put(prices),
    old: put(archived),
  };
}

export interface PickerOptions {
  /** Arguments of `pidex`. */
  argv?: readonly string[];
  cols?: number;
  rows?: number;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Pattern of the last line once the picker accepts keys. */
  ready?: string | RegExp;
  /** Whether the index does not exist yet. */
  unindexed?: boolean;
}

/** Starts `pidex` with an up-to-date index, and waits until it accepts keys. */
export async function openPicker(home: TestHome, options: PickerOptions = {}): Promise<TestTerminal> {
  const {
    argv = [],
    cols = 100,
    rows = 24,
    cwd = home.folder,
    env,
    ready = /Enter (?:resume|select)/,
  } = options;
  if (!options.unindexed) await buildIndex(home);
  const terminal = await openTerminal({
    argv: [process.execPath, PIDEX, ...argv],
    env: { ...home.env, ...env },
    cols,
    rows,
    cwd,
    ...(home.context && { context: home.context }),
  });
  await terminal.until(ready);
  if (!options.unindexed) await terminal.until(isSettled, "all requests to be answered");
  return terminal;
}

export async function buildIndex({ env, sessions }: TestHome): Promise<void> {
  await using index = await openIndex({ db: env.PIDEX_DB, roots: [sessions] });
  await index.sync();
}

export const PIDEX = BUILT_PIDEX;
/** A shell command that starts it. */
export const SHELL_PIDEX = `'${process.execPath}' '${PIDEX}'`;

/** Whether no request is pending. */
export const isSettled = ([heading = ""]: string[]): boolean =>
  /\d$/.test(heading) && !/…|indexing/.test(heading);

/** The position and number of sessions in the first line: `2/9` for `2 of 9`, or `0`. */
export function getCount([heading = ""]: string[]): string {
  return /(?:\S+ of )?\S+$/.exec(heading)?.[0].replace(" of ", "/") ?? "";
}

/** The titles of the listed sessions: the text before two spaces in each line. */
export function getTitles(screen: string[], columns = Number.POSITIVE_INFINITY): string[] {
  if (getCount(screen) === "0") return []; // the reason is shown instead
  return screen
    .slice(3, -1)
    .map((row) => row.slice(0, columns))
    .filter((row) => /^(?:› | {2})\S/.test(row))
    .map((row) => row.slice(2).split(/ {2}/)[0] as string);
}

/** The selected session. */
export function getSelected(screen: string[]): string | undefined {
  return screen
    .slice(3, -1)
    .find((row) => row.startsWith("› "))
    ?.slice(2)
    .split(/ {2}/)[0];
}
