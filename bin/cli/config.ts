import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { PidexError } from "../../library/index.ts";
import { findNearestWord, quoteForShell } from "../../library/internal.ts";
import { applyConfig } from "../config/apply-config.ts";
import { changeConfig, getConfigPath, isTable, parseConfig, readConfigText } from "../config/config-file.ts";
import { findSetting, SETTINGS, type SettingValue } from "../config/settings.ts";
import { toOneLine } from "../format/safe.ts";
import { measureWidth, wrap } from "../format/text.ts";
import { CHOICES, readSettings } from "../picker/settings.ts";
import type { Flags } from "./commands.ts";
import type { SettingJson } from "./config-answers.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { EXIT, printNotice } from "./run.ts";
import { parseColumns } from "./session-columns.ts";
import { type Column, formatRow, formatTable } from "./table.ts";

const COLUMNS: readonly Column[] = [
  { heading: "SETTING" },
  { heading: "VALUE", style: "cyan", shrinksFirst: true },
  { heading: "FROM", style: "dim" },
  { heading: "MEANING", omitOrder: 1 },
];
/** Meanings are not wrapped to fewer columns. */
const MIN_MEANING_WIDTH = 24;

const ACTIONS = ["list", "get", "set", "unset", "edit", "path"];

/** `pidex config`: lists, prints or changes settings. */
export async function run(
  io: Io,
  [action, key, ...words]: string[],
  flags: Flags<"config">,
): Promise<number> {
  const path = getConfigPath(process.env);
  if (action === "path") await io.out(`${path}\n`);
  else if (action === "edit") return edit(path);
  else if (action === "set") await set(io, path, key, words);
  else if (action === "unset") await unset(io, path, requireKey(key));
  else if (action === "get") await show(io, path, flags, requireKey(key), true);
  else if (action === undefined || (action === "list" && key === undefined)) await show(io, path, flags);
  else {
    const name = requireKey(action === "list" ? key : action);
    refuseValue(name, action === "list" ? words : [key, ...words]);
    await show(io, path, flags, name);
  }
  return EXIT.done;
}

/** @throws PidexError `BAD_OPTION` for `pidex config limit 100` */
function refuseValue(name: string, words: readonly (string | undefined)[]): void {
  if (words[0] === undefined) return;
  const texts = words.map((word) => word ?? "");
  const { accepted, isAccepted } = describeAccepted(name, texts);
  const hint = isAccepted
    ? `To change it: pidex config set ${name} ${toOneLine(texts.map((text) => quoteForShell(text)).join(" "))}`
    : `To change it: pidex config set ${name} VALUE, where VALUE is ${accepted}`;
  throw new PidexError("BAD_OPTION", `pidex config ${name} shows the setting and takes no value`, hint);
}

/** @param isValueOnly prints the value alone, for scripts */
async function show(
  io: Io,
  path: string,
  flags: Flags<"config">,
  key?: string,
  isValueOnly = false,
): Promise<void> {
  const { problems } = await readSettings(process.env, { path });
  for (const problem of problems) printNotice(io, problem);
  const all = await listSettings(path);
  const settings = all.filter((each) => key === undefined || each.key === key);
  if (flags.json) await writeJson(io, { path, settings });
  else if (flags.ndjson) await writeJsonLines(io, settings);
  else if (isValueOnly) await io.out(`${toOneLine(settings[0]?.value ?? "")}\n`);
  else if (io.isTerminal) {
    await io.out(formatSettings(io, settings));
    if (key === undefined) await io.out(`\n${toOneLine(path)}\n`);
  } else {
    for (const { key, value, from } of settings) await io.out(formatRow([key, toOneLine(value), from]));
  }
}

/** A table that wraps its last column. Long values are cut: `config get` prints them in full. */
function formatSettings(io: Io, settings: readonly SettingJson[]): string {
  const cells = settings.map(
    ({ key, value, from, meaning }) => [key, toOneLine(value), from, meaning] as const,
  );
  const widest = (n: number) => Math.max(...cells.map((row) => measureWidth(row[n] ?? "")), 8);
  const room = Math.max(MIN_MEANING_WIDTH, io.columns - widest(0) - widest(1) - widest(2) - 6);
  const rows = cells.flatMap(([key, value, from, meaning]) =>
    wrap(meaning, room).map((line, n) => (n === 0 ? [key, value, from, line] : ["", "", "", line])),
  );
  return formatTable(io, COLUMNS, rows);
}

/** All settings with their values, and key bindings that the file sets. */
async function listSettings(path: string): Promise<SettingJson[]> {
  const tables = await parseConfig(
    readConfigText(path, () => {}),
    () => {},
  );
  const general = Object.entries(SETTINGS).map(
    ([key, { env, about, standard, accepts, toText }]): SettingJson => {
      const value = tables[key];
      const isSet = accepts(value);
      const text = process.env[env];
      // `applyConfig` has copied the value of the file to an unset variable.
      const isFromFile = isSet && (text ?? "") === toText(value as SettingValue);
      const shared = { key, env, meaning: about };
      if (isFromFile) return { ...shared, value: formatValue(value), from: "file" };
      if (text) return { ...shared, value: text, from: "environment" };
      return { ...shared, value: standard, from: "default" };
    },
  );
  const { settings } = await readSettings({}, { path });
  const picker = isTable(tables.picker) ? tables.picker : {};
  const ofPicker = Object.entries(CHOICES).map(([name, choices]): SettingJson => {
    const isSet = (choices as readonly unknown[]).includes(picker[name]);
    return {
      key: `picker.${name}`,
      value: String(settings[name as keyof typeof CHOICES]),
      from: isSet ? "file" : "default",
      meaning: choices.join(", "),
    };
  });
  const bindings = Object.entries(tables).flatMap(([table, keys]) =>
    table.endsWith("keys") && isTable(keys)
      ? Object.entries(keys).map(([action, value]): SettingJson => {
          const shown = Array.isArray(value) && value.length === 0 ? "none" : formatValue(value);
          return { key: `${table}.${action}`, value: shown, from: "file", meaning: "keys in the picker" };
        })
      : [],
  );
  return [...general, ...ofPicker, ...bindings];
}

const formatValue = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : String(value));

async function set(io: Io, path: string, key: string | undefined, words: readonly string[]): Promise<void> {
  const name = requireKey(key);
  if (words.length === 0 || words.every((word) => word === "")) {
    throw new PidexError(
      "BAD_OPTION",
      `no value for ${name}`,
      `Pass a value, or remove it: pidex config unset ${name}`,
    );
  }
  const value = toValue(name, words);
  await changeConfig(path, toPlace(name), value);
  await io.out(`${name} = ${toOneLine(formatValue(value))} in ${toOneLine(path)}\n`);
}

async function unset(io: Io, path: string, name: string): Promise<void> {
  await changeConfig(path, toPlace(name), undefined);
  await io.out(`${name} is not set in ${toOneLine(path)}\n`);
}

/** The table and the name of a setting in it. */
function toPlace(key: string): [table: string, name: string] {
  const dot = key.indexOf(".");
  return dot === -1 ? ["", key] : [key.slice(0, dot), key.slice(dot + 1)];
}

/** @throws PidexError `BAD_OPTION` if the setting does not accept the value */
function toValue(key: string, words: readonly string[]): SettingValue {
  const { value, accepted, isAccepted } = describeAccepted(key, words);
  if (key === "columns") parseColumns([value].flat().map(String));
  if (isAccepted) return value;
  const { about, standard } = findSetting(key) ?? {};
  const hint = `${about === undefined ? "" : `${key}: ${about} (default: ${standard}). `}Nothing was changed.`;
  throw new PidexError(
    "BAD_OPTION",
    `${key} must be ${accepted}, not ${JSON.stringify(words.join(" "))}`,
    hint,
  );
}

/** The value that words mean for a setting, whether the setting accepts it, and what it accepts. */
function describeAccepted(key: string, words: readonly string[]) {
  const setting = findSetting(key);
  if (setting) {
    const value = setting.fromWords(words);
    return { value, accepted: setting.expected, isAccepted: setting.accepts(value) };
  }
  const choices: readonly (string | boolean)[] = CHOICES[key.slice("picker.".length) as keyof typeof CHOICES];
  const text = words.join(" ");
  const choice = choices.find((each) => String(each) === text);
  return {
    value: choice ?? text,
    accepted: `one of ${choices.join(", ")}`,
    isAccepted: choice !== undefined,
  };
}

/** The complete name of a setting: `sort` is `picker.sort`. @throws PidexError `BAD_OPTION` if there is none */
function requireKey(key: string | undefined): string {
  const keys = [...Object.keys(SETTINGS), ...Object.keys(CHOICES).map((name) => `picker.${name}`)];
  const found = keys.find((each) => each === key || each === `picker.${key}`);
  if (found !== undefined) return found;
  const hint = `Settings are ${keys.join(", ")}; pidex config edit opens the file, which also binds keys.`;
  if (key === undefined) throw new PidexError("BAD_OPTION", "no setting named", hint);
  const similar = findNearestWord(key.replaceAll("-", "_"), [...keys, ...ACTIONS]);
  const suggestion = similar === undefined ? "" : `; did you mean ${similar}?`;
  throw new PidexError("BAD_OPTION", `unknown setting ${toOneLine(key)}${suggestion}`, hint);
}

/** Opens the file in the user's editor. @returns the exit code of the editor, or 1 if the file is invalid afterwards */
async function edit(path: string): Promise<number> {
  const editor =
    process.env.VISUAL || process.env.EDITOR || (process.platform === "win32" ? "notepad" : "vi");
  mkdirSync(dirname(path), { recursive: true });
  // Through a shell, as git does it, because the variable may contain options.
  const child = spawn(`${editor} "$PIDEX_EDITED"`, {
    env: { ...process.env, PIDEX_EDITED: path },
    shell: true,
    stdio: "inherit",
  });
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (status) => resolve(status ?? EXIT.failed));
  });
  if (code !== 0) {
    throw new PidexError(
      "BAD_OPTION",
      `the editor failed: ${editor}`,
      "Set EDITOR to the command of your editor.",
    );
  }
  const problems = [
    ...(await applyConfig({ ...process.env })),
    ...(await readSettings({}, { path })).problems,
  ];
  const [problem] = problems;
  if (problem !== undefined)
    throw new PidexError("BAD_OPTION", problem, "Run pidex config edit again to correct it.");
  return EXIT.done;
}
