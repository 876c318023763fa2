import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { nearestWord } from "../../library/internal.ts";
import { oneLine } from "../format/safe.ts";
import { cut } from "../format/text.ts";
import { ACTIONS, type OwnKeys } from "./keys/actions.ts";
import { type Complain, KEY_TABLES, ownKeys } from "./keys/own-keys.ts";

/** How the picker begins, and the keys a user wants. */
export interface Settings {
  /** The sessions of the folder it is opened in, or all. */
  scope: "folder" | "all";
  sort: "threaded" | "newest" | "best";
  /** Where a session is read beside the list: where there is room, or never. */
  preview: "auto" | "right" | "below" | "off";
  /** Whether archived sessions are listed. */
  archived: boolean;
  /** Whether sessions of subagents are listed. */
  subagents: boolean;
  keys: OwnKeys;
}

export interface ReadSettings {
  settings: Settings;
  /** What is wrong in the file, safe for a terminal. What is right counts all the same. */
  complaints: string[];
  /** The file, whether it is there or not. */
  path: string;
}

type Choice = Exclude<keyof Settings, "keys">;
type Table = Record<string, unknown>;

/** What `[picker]` may say. */
const CHOICES: { readonly [name in Choice]: readonly Settings[name][] } = {
  scope: ["folder", "all"],
  sort: ["threaded", "newest", "best"],
  preview: ["auto", "right", "below", "off"],
  archived: [true, false],
  subagents: [true, false],
};

/** `pidex/config.toml` of the user's folder for settings: `$XDG_CONFIG_HOME` or `~/.config`; Windows `%APPDATA%`. */
export function settingsPath(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const { XDG_CONFIG_HOME = "", APPDATA = "" } = env;
  const usual = platform === "win32" && APPDATA !== "" ? APPDATA : join(env.HOME || homedir(), ".config");
  return join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : usual, "pidex", "config.toml");
}

/**
 * Reads the user's settings. Never fails: what cannot be read or makes no sense is a complaint, and counts as not said.
 *
 * @param where another file than the user's own
 */
export async function readSettings(
  env: NodeJS.ProcessEnv,
  { path = settingsPath(env) }: { path?: string } = {},
): Promise<ReadSettings> {
  const complaints: string[] = [];
  const complain = (what: string, line?: number) => {
    complaints.push(oneLine(`${path}${line === undefined ? "" : `, line ${line}`}: ${what}`));
  };
  let text = "";
  try {
    text = readFileSync(path, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") complain(`It cannot be read: ${message}.`);
  }
  const settings = text === "" ? settingsIn({}, () => {}) : await settingsOf(text, complain);
  return { settings, complaints, path };
}

async function settingsOf(text: string, complain: (what: string, line?: number) => void): Promise<Settings> {
  const { parse, TomlError } = await import("smol-toml");
  let tables: Table = {};
  try {
    tables = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "");
    complain(`This is no TOML (${why}), so nothing of the file counts.`, error.line);
  }
  return settingsIn(tables, (what, table, name) => complain(what, lineOf(text, table, name)));
}

// Checked by hand: zod takes longer to load than all else of the first frame.
function settingsIn(tables: Table, complain: Complain): Settings {
  const sound = new Map<string, Table>();
  for (const [name, table] of Object.entries(tables)) {
    if (!TABLES.includes(name)) complain(...aboutStranger(name, table));
    else if (isTable(table)) sound.set(name, table);
    else complain(`${name} is a table: write [${name}].`, "", name);
  }
  return {
    scope: "folder",
    sort: "threaded",
    preview: "auto",
    archived: false,
    subagents: false,
    ...choicesIn(sound.get("picker") ?? {}, complain),
    keys: ownKeys(sound, complain),
  };
}

const TABLES = ["picker", ...Object.keys(KEY_TABLES)];

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

function aboutStranger(name: string, value: unknown): Parameters<Complain> {
  const found = nearestWord(name, TABLES);
  const hint = found ? ` Did you mean [${found}]?` : "";
  if (isTable(value)) return [`There is no [${name}].${hint}`, name];
  const table = Object.hasOwn(CHOICES, name)
    ? "picker"
    : ACTIONS.some(({ action }) => action === name)
      ? "keys"
      : "";
  return [`${name} stands in no table.${table ? ` It belongs below [${table}].` : hint}`, "", name];
}

function choicesIn(table: Table, complain: Complain): Partial<Settings> {
  const chosen: Table = {};
  for (const [name, value] of Object.entries(table)) {
    if (!Object.hasOwn(CHOICES, name)) {
      const found = nearestWord(name, Object.keys(CHOICES));
      complain(`[picker] has no ${name}.${found ? ` Did you mean ${found}?` : ""}`, "picker", name);
      continue;
    }
    const choices: readonly unknown[] = CHOICES[name as Choice];
    if (choices.includes(value)) chosen[name] = value;
    else {
      const may = choices.map((each) => JSON.stringify(each)).join(", ");
      const is = typeof value === "string" ? cut(JSON.stringify(value), 40) : `a ${typeof value}`;
      complain(`${name} is one of ${may}, not ${is}.`, "picker", name);
    }
  }
  return chosen;
}

/**
 * The line, from 1, where a table begins, or says something: the parser does not tell. None for a file that is written in
 * an unusual way.
 */
function lineOf(text: string, table: string, name?: string): number | undefined {
  let current = "";
  for (const [n, line] of text.split("\n").entries()) {
    const header = /^\s*\[\s*"?([^\]"]*?)"?\s*\]/.exec(line)?.[1];
    if (header !== undefined) current = header;
    const says = name === undefined ? header : /^\s*"?([^"=\s]+)"?\s*=/.exec(line)?.[1];
    if (current === table && says === (name ?? table)) return n + 1;
  }
  return undefined;
}
