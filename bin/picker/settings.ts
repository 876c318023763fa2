import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { findNearestWord } from "../../library/internal.ts";
import { toOneLine } from "../format/safe.ts";
import { truncate } from "../format/text.ts";
import { THEMES, type ThemeName } from "../format/themes.ts";
import { ACTIONS, type UserKeys } from "./keys/actions.ts";
import { didYouMean, KEY_TABLES, parseUserKeys, type ReportProblem } from "./keys/user-keys.ts";

/** The picker's settings, from `config.toml`. */
export interface Settings {
  /** Initial scope: sessions of the current folder, or all. */
  scope: "folder" | "all";
  sort: "threaded" | "newest" | "relevance";
  /** Position of the preview; `auto` shows it if there is room. */
  preview: "auto" | "right" | "below" | "off";
  theme: ThemeName;
  /** Whether archived sessions are included. */
  archived: boolean;
  /** Whether subagent sessions are included. */
  subagents: boolean;
  /** Whether the wheel scrolls and a click selects; then the terminal selects text only with Shift. */
  mouse: boolean;
  /** Whether queries are remembered. */
  history: boolean;
  keys: UserKeys;
}

export interface LoadedSettings {
  settings: Settings;
  /** What is invalid in the file, safe to print. Valid settings still apply. */
  problems: string[];
  /** Path of the file, which may not exist. */
  path: string;
}

type Choice = Exclude<keyof Settings, "keys">;
type Table = Record<string, unknown>;

/** Valid values in `[picker]`. */
const CHOICES: { readonly [name in Choice]: readonly Settings[name][] } = {
  scope: ["folder", "all"],
  sort: ["threaded", "newest", "relevance"],
  preview: ["auto", "right", "below", "off"],
  theme: THEMES,
  archived: [true, false],
  subagents: [true, false],
  mouse: [true, false],
  history: [true, false],
};

/** Path of `pidex/config.toml` in the user's configuration folder: `$XDG_CONFIG_HOME` or `~/.config`; on Windows `%APPDATA%`. */
export function settingsPath(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const { XDG_CONFIG_HOME = "", APPDATA = "" } = env;
  const standard = platform === "win32" && APPDATA !== "" ? APPDATA : join(env.HOME || homedir(), ".config");
  return join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : standard, "pidex", "config.toml");
}

/**
 * Reads the user's settings. Never throws: what is unreadable or invalid is reported in `problems` and ignored.
 *
 * @param options.path the settings file. Default: `settingsPath`
 */
export async function readSettings(
  env: NodeJS.ProcessEnv,
  { path = settingsPath(env) }: { path?: string } = {},
): Promise<LoadedSettings> {
  const problems: string[] = [];
  const reportProblem = (what: string, line?: number) => {
    problems.push(toOneLine(`${path}${line === undefined ? "" : `, line ${line}`}: ${what}`));
  };
  let text = "";
  try {
    text = readFileSync(path, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") reportProblem(`could not be read: ${message}`);
  }
  const settings = text === "" ? validateSettings({}, () => {}) : await parseSettings(text, reportProblem);
  return { settings, problems, path };
}

async function parseSettings(
  text: string,
  reportProblem: (what: string, line?: number) => void,
): Promise<Settings> {
  const { parse, TomlError } = await import("smol-toml");
  let tables: Table = {};
  try {
    tables = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "");
    reportProblem(`invalid TOML (${why}); the file was ignored`, error.line);
  }
  return validateSettings(tables, (what, table, name) => reportProblem(what, lineOf(text, table, name)));
}

// Validated by hand, because loading zod would take longer than the rest of the first frame.
function validateSettings(tables: Table, reportProblem: ReportProblem): Settings {
  const valid = new Map<string, Table>();
  for (const [name, table] of Object.entries(tables)) {
    if (!TABLES.includes(name)) reportProblem(...describeUnknown(name, table));
    else if (isTable(table)) valid.set(name, table);
    else reportProblem(`${name} must be a table; write [${name}]`, "", name);
  }
  return {
    scope: "folder",
    sort: "threaded",
    preview: "auto",
    theme: "auto",
    archived: false,
    subagents: false,
    mouse: true,
    history: true,
    ...parseChoices(valid.get("picker") ?? {}, reportProblem),
    keys: parseUserKeys(valid, reportProblem),
  };
}

const TABLES = ["picker", ...Object.keys(KEY_TABLES)];

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

function describeUnknown(name: string, value: unknown): Parameters<ReportProblem> {
  const similar = findNearestWord(name, TABLES);
  const hint = didYouMean(similar && `[${similar}]`);
  if (isTable(value)) return [`unknown table [${name}]${hint}`, name];
  const table = Object.hasOwn(CHOICES, name)
    ? "picker"
    : ACTIONS.some(({ action }) => action === name)
      ? "keys"
      : "";
  return [table ? `${name} must be below [${table}]` : `unknown setting ${name}${hint}`, "", name];
}

function parseChoices(table: Table, reportProblem: ReportProblem): Partial<Settings> {
  const chosen: Table = {};
  for (const [name, value] of Object.entries(table)) {
    const choices: readonly unknown[] | undefined = Object.hasOwn(CHOICES, name)
      ? CHOICES[name as Choice]
      : undefined;
    if (choices?.includes(value)) chosen[name] = value;
    else if (!choices) {
      const hint = didYouMean(findNearestWord(name, Object.keys(CHOICES)));
      reportProblem(`unknown setting ${name} in [picker]${hint}`, "picker", name);
    } else {
      const expected = choices.map((each) => JSON.stringify(each)).join(", ");
      const actual = typeof value === "string" ? truncate(JSON.stringify(value), 40) : `a ${typeof value}`;
      reportProblem(`${name} must be one of ${expected}, not ${actual}`, "picker", name);
    }
  }
  return chosen;
}

/**
 * Line number, from 1, of a table or a setting in it, which the parser does not report. Undefined if the file is formatted in an unusual
 * way.
 */
function lineOf(text: string, table: string, name?: string): number | undefined {
  let current = "";
  for (const [n, line] of text.split("\n").entries()) {
    const header = /^\s*\[\s*"?([^\]"]*?)"?\s*\]/.exec(line)?.[1];
    if (header !== undefined) current = header;
    const key = name === undefined ? header : /^\s*"?([^"=\s]+)"?\s*=/.exec(line)?.[1];
    if (current === table && key === (name ?? table)) return n + 1;
  }
  return undefined;
}
