import type { UsageDimension, UsageRow } from "../../library/index.ts";
import { findHome } from "../../library/internal.ts";
import { oneLine } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { shortNames } from "../format/short-names.ts";
import { titleOf } from "../format/titles.ts";
import { unrecorded } from "../format/usage-csv.ts";
import { ROOMY } from "./figures.ts";

/** A row, or a group of rows. */
type Keyed = Pick<UsageRow, "key" | "session">;

/** Returns a function from a row to its label on a terminal with this many columns. */
export function keyLabels(
  rows: readonly Keyed[],
  by: UsageDimension,
  columns: number,
): (row: Keyed) => string {
  // The end of provider/vendor/model is the most specific part.
  const isLong = by === "project" || (by === "model" && columns < ROOMY);
  const short = isLong
    ? shortNames(
        rows.flatMap(({ key }) => key[by] ?? []),
        tilde,
      )
    : undefined;
  return ({ key, session }) => {
    const value = key[by] ?? null;
    if (value === null) return unrecorded(by);
    if (by === "session" && session) return `${shortId(session.id)} ${titleOf(session)}`;
    return oneLine(short?.get(value) ?? value) || "(empty)";
  };
}

/** A path with `~` for the home folder. */
export function tilde(path: string): string {
  const home = findHome();
  return home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
