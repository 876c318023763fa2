/** Reads `config.toml`, and changes single values in it. */
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { PidexError } from "../../library/index.ts";
import { getConfigFolder, replaceFile, toMessage } from "../../library/internal.ts";
import type { SettingValue } from "./settings.ts";

export type Table = Record<string, unknown>;

/** Reports what is invalid in the file, and in which line, if known. */
export type ReportProblem = (what: string, line?: number) => void;

/**
 * Path of `config.toml`: in `$PIDEX_CONFIG`, else in `pidex` in `$XDG_CONFIG_HOME` or `~/.config`; on Windows in `%APPDATA%`.
 *
 * @throws PidexError `NO_HOME`
 */
export function getConfigPath(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  return join(getConfigFolder(env, platform), "config.toml");
}

/** The text of the file; "" if it doesn't exist, or can't be read, which is reported. */
export function readConfigText(path: string, reportProblem: ReportProblem): string {
  try {
    return readFileSync(path, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") reportProblem(`could not be read: ${toMessage(error)}`);
    return "";
  }
}

type Toml = typeof import("smol-toml");

/** The values of a file. One that is not valid TOML is reported and ignored. */
export async function parseConfig(text: string, reportProblem: ReportProblem): Promise<Table> {
  return text === "" ? {} : parseToml(await import("smol-toml"), text, reportProblem);
}

function parseToml({ parse, TomlError }: Toml, text: string, reportProblem: ReportProblem): Table {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const why = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "");
    reportProblem(`invalid TOML (${why}); the file was ignored`, error.line);
    return {};
  }
}

export const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/**
 * Line number, from 1, of a table or a setting in it, which the parser does not report. Undefined if the file is formatted in an unusual
 * way.
 */
export function findLine(text: string, table: string, name?: string): number | undefined {
  let current = "";
  for (const [n, line] of text.split("\n").entries()) {
    const header = /^\s*\[\s*"?([^\]"]*?)"?\s*\]/.exec(line)?.[1];
    if (header !== undefined) current = header;
    const key = name === undefined ? header : /^\s*"?([^"=\s]+)"?\s*=/.exec(line)?.[1];
    if (current === table && key === (name ?? table)) return n + 1;
  }
  return undefined;
}

/**
 * Sets one value in the file, or removes it, and creates the file if necessary. All other lines stay as they are, with their comments.
 * The file is read and replaced under a lock, so that commands that change it at once lose nothing.
 *
 * @param table "" for settings above all tables
 * @param value undefined removes the setting
 * @throws PidexError `FILE_UNREADABLE`, `FILE_UNWRITABLE`; `BAD_OPTION` if the value can't be found in the text, because it has several lines
 */
export async function changeConfig(
  path: string,
  place: readonly [table: string, name: string],
  value: SettingValue | undefined,
): Promise<void> {
  const toml = await import("smol-toml"); // before the lock, which is held synchronously
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, "a")); // only an existing file can be replaced
    replaceFile(path, () => [changeValue(toml, path, place, value)]);
  } catch (cause) {
    if (cause instanceof PidexError && cause.code !== "FILE_UNWRITABLE") throw cause;
    const hint = "Check the permissions of the file and its folder, or set PIDEX_CONFIG to another folder.";
    const reason = toMessage(cause instanceof PidexError ? cause.cause : cause);
    throw new PidexError("FILE_UNWRITABLE", `cannot write ${path}: ${reason}`, hint, { cause });
  }
}

/** The text of the file with one value changed. @throws PidexError as `changeConfig` */
function changeValue(
  toml: Toml,
  path: string,
  [table, name]: readonly [table: string, name: string],
  value: SettingValue | undefined,
): string {
  const refuse: ReportProblem = (what, line) => {
    const where = line === undefined ? path : `${path}, line ${line}`;
    throw new PidexError("FILE_UNREADABLE", `${where}: ${what}`, "Correct the file: pidex config edit.");
  };
  const text = readConfigText(path, refuse);
  const expected = structuredClone(parseToml(toml, text, refuse));
  if (table !== "" && !isTable(expected[table])) expected[table] = {};
  const target = table === "" ? expected : (expected[table] as Table);
  if (value === undefined) delete target[name];
  else target[name] = value;
  const assignment = value === undefined ? undefined : `${name} = ${toToml(value)}`;
  const changed = changeText(text, table, name, assignment);
  const after = parseToml(toml, changed, () => {});
  if (isDeepStrictEqual(withoutEmptyTables(after), withoutEmptyTables(expected))) return changed;
  const message = `cannot change ${name} in ${path}, which is formatted in an unusual way`;
  throw new PidexError("BAD_OPTION", message, "Change it in an editor: pidex config edit.");
}

const withoutEmptyTables = (tables: Table): Table =>
  structuredClone(
    Object.fromEntries(
      Object.entries(tables).filter(([, value]) => !isTable(value) || Object.keys(value).length > 0),
    ),
  );

/** Numbers, booleans, texts and lists of texts have the same form as in JSON. */
const toToml = (value: SettingValue): string =>
  Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]` : JSON.stringify(value);

function changeText(text: string, table: string, name: string, assignment: string | undefined): string {
  const lines = text.split("\n");
  const line = findLine(text, table, name);
  if (line !== undefined) {
    const [comment = ""] = /\s*#[^#"'\]]*$/.exec(lines[line - 1] as string) ?? [];
    lines.splice(line - 1, 1, ...(assignment === undefined ? [] : [assignment + comment]));
    if (assignment === undefined && table !== "") removeIfEmpty(lines, table);
  } else if (assignment !== undefined) insertLine(lines, table, assignment);
  return lines.join("\n");
}

/** Removes a table without settings, unless comments are in it or on it. */
function removeIfEmpty(lines: string[], table: string): void {
  const heading = (findLine(lines.join("\n"), table) ?? 0) - 1;
  if (heading < 0 || /#/.test(lines[heading] ?? "") || /^\s*#/.test(lines[heading - 1] ?? "")) return;
  const following = lines.findIndex((line, n) => n > heading && line.trim() !== "");
  const next = following === -1 ? lines.length : following;
  if (next < lines.length && !/^\s*\[/.test(lines[next] as string)) return;
  lines.splice(heading, next - heading);
  if (following !== -1) return;
  while (lines.at(-1)?.trim() === "") lines.pop();
  if (lines.length > 0) lines.push(""); // the last line ends with a line break
}

/** Inserts a line behind the settings above all tables, or below the heading of a table, which is added if necessary. */
function insertLine(lines: string[], table: string, assignment: string): void {
  const heading = table === "" ? undefined : findLine(lines.join("\n"), table);
  if (heading !== undefined) {
    lines.splice(heading, 0, assignment);
    return;
  }
  const firstTable = table === "" ? lines.findIndex((line) => /^\s*\[/.test(line)) : -1;
  const hasTable = firstTable !== -1;
  let end = hasTable ? firstTable : lines.length;
  while (hasTable && lines[end - 1]?.startsWith("#")) end--; // comments on the table
  const next = end;
  while (end > 0 && lines[end - 1]?.trim() === "") end--;
  const added = table === "" ? [assignment] : [...(end > 0 ? [""] : []), `[${table}]`, assignment];
  lines.splice(end, next - end, ...added, "");
}
