/** Validates the settings of `config.toml` that apply to all commands. */
import { findNearestWord } from "../../library/internal.ts";
import { truncate } from "../format/text.ts";
import { isTable, type Table } from "./config-file.ts";
import { findSetting, SETTINGS, type SettingValue } from "./settings.ts";

/** Reports an invalid table, or an invalid setting `name` in it. */
export type ReportSetting = (message: string, table: string, name?: string) => void;

/** The valid settings above all tables, by their names. */
export function parseSettings(tables: Table, report: ReportSetting): Map<string, SettingValue> {
  const values = new Map<string, SettingValue>();
  for (const [name, value] of Object.entries(tables)) {
    if (isTable(value)) continue; // tables belong to the picker
    const setting = findSetting(name);
    if (setting?.accepts(value)) values.set(name, value as SettingValue);
    else if (setting) report(`${name} must be ${setting.expected}, not ${describeValue(value)}`, "", name);
    else {
      const similar = findNearestWord(name, Object.keys(SETTINGS));
      report(`unknown setting ${name}${similar === undefined ? "" : `; did you mean ${similar}?`}`, "", name);
    }
  }
  return values;
}

/** An invalid value, for an error message. */
export function describeValue(value: unknown): string {
  if (["string", "number"].includes(typeof value) || Array.isArray(value))
    return truncate(JSON.stringify(value), 40);
  return `a ${typeof value}`;
}
