import { findNearestWord } from "../../library/internal.ts";
import {
  findLine,
  getConfigPath,
  isTable,
  parseConfig,
  readConfigText,
  type Table,
} from "../config/config-file.ts";
import { parseSettings } from "../config/parse-settings.ts";
import { findSetting, SETTINGS } from "../config/settings.ts";
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

/** Valid values in `[picker]`. */
export const CHOICES: { readonly [name in Choice]: readonly Settings[name][] } = {
  scope: ["folder", "all"],
  sort: ["threaded", "newest", "relevance"],
  preview: ["auto", "right", "below", "off"],
  theme: THEMES,
  archived: [true, false],
  subagents: [true, false],
  mouse: [true, false],
  history: [true, false],
};

/**
 * Reads the user's settings. Never throws: what is unreadable or invalid is reported in `problems` and ignored.
 *
 * @param options.path the settings file. Default: `getConfigPath`
 */
export async function readSettings(
  env: NodeJS.ProcessEnv,
  { path = findConfigPath(env) }: { path?: string | undefined } = {},
): Promise<LoadedSettings> {
  const problems: string[] = [];
  const reportProblem = (what: string, line?: number) => {
    problems.push(toOneLine(`${path}${line === undefined ? "" : `, line ${line}`}: ${what}`));
  };
  const text = path === "" ? "" : readConfigText(path, reportProblem);
  const tables = await parseConfig(text, reportProblem);
  const settings = validateSettings(tables, (what, table, name) =>
    reportProblem(what, findLine(text, table, name)),
  );
  return { settings, problems, path };
}

/** `getConfigPath`; "" without a home folder. */
function findConfigPath(env: NodeJS.ProcessEnv): string {
  try {
    return getConfigPath(env);
  } catch {
    return "";
  }
}

// Validated by hand, because loading zod would take longer than the rest of the first frame.
function validateSettings(tables: Table, reportProblem: ReportProblem): Settings {
  const valid = new Map<string, Table>();
  for (const [name, table] of Object.entries(tables)) {
    if (findSetting(name) && !isTable(table)) continue; // applies to all commands
    if (!TABLES.includes(name)) reportProblem(...describeUnknown(name, table));
    else if (isTable(table)) valid.set(name, table);
    else reportProblem(`${name} must be a table; write [${name}]`, "", name);
  }
  const general = Object.entries(tables).filter(([name]) => findSetting(name));
  parseSettings(Object.fromEntries(general), reportProblem);
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

function describeUnknown(name: string, value: unknown): Parameters<ReportProblem> {
  const similar = findNearestWord(name, isTable(value) ? TABLES : Object.keys(SETTINGS));
  const hint = didYouMean(similar && isTable(value) ? `[${similar}]` : similar);
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
