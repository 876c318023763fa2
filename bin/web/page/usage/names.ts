/** Display names of usage rows. */
import type { UsageDimension } from "../../../../library/index.ts";
import { oneLine } from "../../../format/safe.ts";
import { shortNames } from "../../../format/short-names.ts";
import { unrecorded } from "../../../format/usage-csv.ts";
import type { UsageAnswer } from "../../api/answers.ts";

export type Row = UsageAnswer["usage"]["rows"][number];

/** A function that returns unique display names for the values of a dimension. */
export function namesOf(rows: readonly Row[], by: UsageDimension): (row: Row) => string {
  const short = by === "project" ? shortNames(rows.flatMap(({ key }) => key[by] ?? [])) : undefined;
  return ({ key }) => {
    const value = key[by] ?? null;
    if (value === null) return unrecorded(by);
    return oneLine(short?.get(value) ?? value) || "(empty)";
  };
}
