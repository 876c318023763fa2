/** Display names of usage rows. */
import type { UsageDimension } from "../../../../library/index.ts";
import { toOneLine } from "../../../format/safe.ts";
import { toShortestUniquePaths } from "../../../format/short-names.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import { getUnrecordedLabel } from "../../../format/usage-csv.ts";
import type { Answers } from "../../api/answers.ts";

export type Row = Answers["usage"]["usage"]["rows"][number];

/** A function that returns unique display names for the values of a dimension. */
export function createNameFormatter(rows: readonly Row[], by: UsageDimension): (row: Row) => string {
  const short =
    by === "project" ? toShortestUniquePaths(rows.flatMap(({ key }) => key[by] ?? [])) : undefined;
  return ({ key, session }) => {
    if (by === "session" && session) return getSessionTitle(session);
    const value = key[by] ?? null;
    if (value === null) return getRestName(by);
    return toOneLine(short?.get(value) ?? value) || "(empty)";
  };
}

/** The name of what has no value of a dimension. Without a tool, it is what models answered. */
export function getRestName(by: UsageDimension): string {
  return by === "tool" ? "(model responses)" : getUnrecordedLabel(by);
}

/** The name of a dimension as a heading: `Model`. */
export function toHeading(by: string): string {
  return by.charAt(0).toUpperCase() + by.slice(1);
}
