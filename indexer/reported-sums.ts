import { isReportedBy } from "../src/database/report-window.ts";
import type { Preparer } from "../src/database/statements.ts";

const FIGURES = [
  "input",
  "output",
  "cache_read",
  "cache_write",
  "cache_write_1h",
  "reasoning",
  "cost",
] as const;
type FigureName = (typeof FIGURES)[number];
type Reported = Record<FigureName, number> & { billed: number; provider_cost: number | null };

/**
 * The statements about sums that a tool result tells of several runs of subagents. Where some of these have sessions of their
 * own, what those spent counts there, and the event has the rest; what the entry tells stays in `reported_sum`.
 */
export function prepareReportedSums(db: Preparer) {
  const columns = ["billed", ...FIGURES, "provider_cost"];
  const place = "entry = +? AND ordinal = +?";
  const eventAt = db.prepare<[number, number], Reported>(
    `SELECT ${columns.join(", ")} FROM event WHERE ${place}`,
  );
  const sumAt = db.prepare<[number, number], Reported>(
    `SELECT ${columns.join(", ")} FROM reported_sum WHERE ${place}`,
  );
  const insert = db.prepare(
    `INSERT INTO reported_sum (entry, ordinal, ${columns.join(", ")})
     SELECT entry, ordinal, ${columns.join(", ")} FROM event WHERE ${place}`,
  );
  const remove = db.prepare(`DELETE FROM reported_sum WHERE ${place}`);
  const update = db.prepare(
    `UPDATE event SET ${columns.map((name) => `${name} = @${name}`).join(", ")}
     WHERE entry = @entry AND ordinal = @ordinal`,
  );
  // What a run copied from those that tell of it, it did not spend.
  const spentIn = db.prepare<{ entry: number; file: number; tellers: string }, Record<FigureName, number>>(
    `SELECT ${FIGURES.map((name) => `coalesce(sum(${name}), 0) AS ${name}`).join(", ")}
     FROM event AS spent WHERE file_id = +@file AND billed = 1 AND kind <> 'subagent' AND NOT EXISTS (
       SELECT 1 FROM event AS copied WHERE copied.key = spent.key AND copied.instance = spent.instance
         AND +copied.file_id IN (SELECT value FROM json_each(@tellers)))
       AND ${isReportedBy("+@entry")}`,
  );

  return {
    /**
     * Takes what some files spent from the figures of an event, and gives it back what was taken before. `tellers` are the files that
     * tell of the runs, as JSON.
     *
     * @returns whether its figures are others now
     */
    lessen(
      { entry, ordinal }: { entry: number; ordinal: number },
      files: readonly number[],
      tellers: string,
    ): boolean {
      const reported = sumAt.get(entry, ordinal);
      if (files.length === 0 && !reported) return false;
      const before = eventAt.get(entry, ordinal);
      const whole = reported ?? before;
      if (!before || !whole) return false;
      const after = { ...whole };
      for (const file of files) {
        const spent = spentIn.get({ entry, file, tellers });
        for (const name of FIGURES) after[name] = Math.max(0, after[name] - (spent?.[name] ?? 0));
      }
      if (files.length > 0) {
        after.provider_cost = null; // a provider reports it of all of them, or of none
        after.billed = FIGURES.some((name) => after[name] > 0) ? 1 : 0;
      }
      if (columns.every((name) => after[name as keyof Reported] === before[name as keyof Reported]))
        return false;
      if (!reported) insert.run(entry, ordinal);
      update.run({ ...after, entry, ordinal });
      if (files.length === 0) remove.run(entry, ordinal);
      return true;
    },
  };
}
