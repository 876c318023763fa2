import type { UsageDimension, UsageRow } from "../../library/index.ts";
import { findHome } from "../../library/internal.ts";
import { toOneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { toShortestUniquePaths } from "../format/short-names.ts";
import { getSessionTitle } from "../format/titles.ts";
import { getUnrecordedLabel } from "../format/usage-csv.ts";
import { MIN_COLUMNS_FOR_FULL_NUMBERS } from "./figures.ts";

/** A row, or a group of rows. */
type Keyed = Pick<UsageRow, "key" | "session">;

/** Returns a function from a row to its label on a terminal with this many columns. */
export function createKeyFormatter(
  rows: readonly Keyed[],
  by: UsageDimension,
  columns: number,
): (row: Keyed) => string {
  // The end of provider/vendor/model is the most specific part.
  const isLong = by === "project" || (by === "model" && columns < MIN_COLUMNS_FOR_FULL_NUMBERS);
  const short = isLong
    ? toShortestUniquePaths(
        rows.flatMap(({ key }) => key[by] ?? []),
        abbreviateHome,
      )
    : undefined;
  return ({ key, session }) => {
    const value = key[by] ?? null;
    if (value === null) return getUnrecordedLabel(by);
    if (by === "session" && session) return `${shortId(session.id)} ${getSessionTitle(session)}`;
    return toOneLine(short?.get(value) ?? value) || "(empty)";
  };
}

/** A path with `~` for the home folder. */
export function abbreviateHome(path: string): string {
  const home = findHome();
  return home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
