/** The rows of a breakdown that `limit` keeps, and the sums of the omitted ones. Pure. */
import { SUM_INDEX } from "../../src/store/schema.ts";
import { type BreakdownGroup, isPeriod } from "./breakdown.ts";
import { type FiguresShape, sumFigures } from "./figures.ts";
import type { Figures, UsageReport, UsageRow } from "./usage-answers.ts";
import type { UsageDimension } from "./usage-options.ts";

type Grouped = Pick<UsageReport, "groups" | "otherGroups">;

/**
 * The rows that a limit keeps, in their order: the newest periods, otherwise the most expensive rows. If one of two dimensions is a
 * period, the rows of the first groups are kept until the limit is reached.
 */
export function limitRows(
  rows: readonly BreakdownGroup[],
  by: readonly UsageDimension[],
  limit: number | undefined,
): readonly BreakdownGroup[] {
  if (limit === undefined || limit >= rows.length) return rows;
  if (by.length < 2) return isPeriod(by[0]) ? rows.slice(rows.length - limit) : rows.slice(0, limit);
  if (!by.some(isPeriod)) {
    const costliest = rows.toSorted((a, b) => costOf(b) - costOf(a)).slice(0, limit);
    return rows.filter((row) => costliest.includes(row));
  }
  const kept = new Set<BreakdownGroup>();
  const groups = [...byFirst(rows).values()];
  for (const group of isPeriod(by[0]) ? groups.reverse() : groups) {
    const room = limit - kept.size;
    if (room <= 0) break;
    for (const row of isPeriod(by[1]) ? group.slice(-room) : group.slice(0, room)) kept.add(row);
  }
  return rows.filter((row) => kept.has(row));
}

/**
 * The sums by the first of two dimensions, over all rows of each group. `shown` are the kept rows in their result form.
 */
export function groupSums(
  rows: readonly BreakdownGroup[],
  kept: readonly BreakdownGroup[],
  shown: readonly UsageRow[],
  by: readonly UsageDimension[],
  shape: FiguresShape,
): Grouped {
  const [first, second] = by;
  if (first === undefined || second === undefined) return {};
  const figures = (members: readonly BreakdownGroup[]): Figures => sumFigures(members, shape);
  const keptRows = new Map(kept.map((row, n) => [row, shown[n]]));
  const groups: NonNullable<Grouped["groups"]> = [];
  const omitted: BreakdownGroup[][] = [];
  for (const [label, group] of byFirst(rows)) {
    const others = group.filter((row) => !keptRows.has(row));
    if (others.length === group.length) omitted.push(group);
    else {
      const session = first === "session" && group.map((row) => keptRows.get(row)?.session).find(Boolean);
      groups.push({
        key: { [first]: label },
        ...(session && { session }),
        rowCount: group.length,
        ...figures(group),
        ...(others.length > 0 && { others: figures(others) }),
      });
    }
  }
  const omittedRows = omitted.flat();
  return {
    groups,
    ...(omitted.length > 0 && {
      otherGroups: { groupCount: omitted.length, rowCount: omittedRows.length, ...figures(omittedRows) },
    }),
  };
}

function costOf({ sums }: BreakdownGroup): number {
  return sums[SUM_INDEX.cost] as number;
}

function byFirst(rows: readonly BreakdownGroup[]): Map<string | null, BreakdownGroup[]> {
  return Map.groupBy(rows, ({ labels }) => labels[0] ?? null);
}
