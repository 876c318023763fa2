/** Which rows of a breakdown `limit` keeps, and the sums of what it leaves out. Pure. */
import { type Group, isPeriod } from "./breakdown.ts";
import { figuresOf, totalOf } from "./figures.ts";
import type { Figures, UsageReport, UsageRow } from "./usage-answers.ts";
import type { UsageDimension } from "./usage-options.ts";

type Grouped = Pick<UsageReport, "groups" | "otherGroups">;

/**
 * The rows that a limit keeps, in the order they have: of periods the newest, of all else the costliest. Of two dimensions
 * whole groups are kept, and of the last one as many rows as are left.
 */
export function limited(
  rows: readonly Group[],
  by: readonly UsageDimension[],
  limit: number = rows.length,
): Group[] {
  const kept = new Set<Group>();
  const groups = [...byFirst(rows).values()];
  for (const group of isPeriod(by[0]) ? groups.reverse() : groups) {
    const room = limit - kept.size;
    if (room <= 0) break;
    for (const row of isPeriod(by[1]) ? group.slice(-room) : group.slice(0, room)) kept.add(row);
  }
  return rows.filter((row) => kept.has(row));
}

/**
 * The sums of a breakdown by two dimensions by the first alone. They are of all rows, whichever are kept; `shown` are the kept
 * ones as answers have them.
 */
export function groupSums(
  rows: readonly Group[],
  kept: readonly Group[],
  shown: readonly UsageRow[],
  by: readonly UsageDimension[],
  withTurns: boolean,
): Grouped {
  const [first, second] = by;
  if (first === undefined || second === undefined) return {};
  const figures = (some: readonly Group[]): Figures =>
    figuresOf(totalOf(some.map(({ sums }) => sums)), withTurns);
  const keptRows = new Map(kept.map((row, n) => [row, shown[n]]));
  const groups: NonNullable<Grouped["groups"]> = [];
  const left: Group[][] = [];
  for (const [label, group] of byFirst(rows)) {
    const others = group.filter((row) => !keptRows.has(row));
    if (others.length === group.length) left.push(group);
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
  const rest = left.flat();
  return {
    groups,
    ...(left.length > 0 && {
      otherGroups: { groupCount: left.length, rowCount: rest.length, ...figures(rest) },
    }),
  };
}

function byFirst(rows: readonly Group[]): Map<string | null, Group[]> {
  return Map.groupBy(rows, ({ labels }) => labels[0] ?? null);
}
