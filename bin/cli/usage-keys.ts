import { findHome, type UsageDimension, type UsageRow } from "../../index.ts";
import { oneLine } from "../wording/safe.ts";
import { shortId } from "../wording/sessions.ts";
import { titleOf } from "../wording/titles.ts";
import { ROOMY } from "./figures.ts";

/** What to call that of which nothing is recorded. */
const UNRECORDED: Partial<Record<UsageDimension, string>> = {
  hour: "(no time)",
  day: "(no time)",
  week: "(no time)",
  month: "(no time)",
  weekday: "(no time)",
  "hour-of-day": "(no time)",
  project: "(no folder)",
  tool: "(no tool)",
  agent: "(main)",
};

/** What rows are called on a terminal of so many columns. */
export function keyLabels(
  rows: readonly UsageRow[],
  by: UsageDimension,
  columns: number,
): (row: UsageRow) => string {
  // The end of provider/vendor/model says most of it.
  const isLong = by === "project" || (by === "model" && columns < ROOMY);
  const short = isLong ? shortNames(rows.flatMap(({ key }) => key[by] ?? [])) : undefined;
  return ({ key, session }) => {
    const value = key[by] ?? null;
    if (value === null) return UNRECORDED[by] ?? "(not recorded)";
    if (by === "session" && session) return `${shortId(session.id)} ${titleOf(session)}`;
    return oneLine(short?.get(value) ?? value) || "(empty)";
  };
}

/** What a row is called in pipes and in CSV: as it is, and nothing where nothing is recorded. */
export function rawKey({ key }: UsageRow, by: UsageDimension): string {
  return key[by] ?? "";
}

/** Each path by its last names, as many as tell it from the others: `--project` takes them so. */
export function shortNames(paths: readonly string[]): Map<string, string> {
  const whole = [...new Set(paths)];
  const tail = (path: string, names: number) => path.split(/[/\\]/).filter(Boolean).slice(-names).join("/");
  const short = new Map<string, string>();
  let left = whole;
  for (let names = 1; left.length > 0 && names <= 8; names++) {
    const alike = Map.groupBy(left, (path) => tail(path, names));
    for (const [end, [path, ...others]] of alike) {
      if (path !== undefined && others.length === 0 && end !== "") short.set(path, end);
    }
    left = left.filter((path) => !short.has(path));
  }
  for (const path of left) short.set(path, tilde(path));
  return short;
}

/** A path with `~` for the home folder. */
export function tilde(path: string): string {
  const home = findHome();
  return home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
