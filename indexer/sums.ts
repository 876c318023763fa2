import type SQLite from "better-sqlite3";
import {
  type COARSER,
  quarterOf,
  selectCoarser,
  selectSpending,
  selectToolUse,
} from "../src/store/sqlite/ledger-sums.ts";
import { NO_QUARTER, QUARTER_MS } from "../src/store/sqlite/schema.ts";
import type { Preparer } from "../src/store/sqlite/statements.ts";
import { prepareBlocks } from "./blocks.ts";

/** More quarters of one file than this are summed up in one go. */
const MOST_QUARTERS = 64;

/**
 * Keeps the sums of what the ledger holds, by file and quarter of an hour, by file, and of all files. What changed is noted, and summed
 * up anew when all of a transaction's rows are written: a sum that was added to and taken from would have to be right
 * each time.
 */
export function prepareSums(db: Preparer) {
  // `+@file`: with `@file` alone SQLite prepares these anew at each run (see `ledger.ts`), which was most of the time.
  /** From the events of a file, or of a quarter of it, and then from the calls that were summed up first. */
  const sumUpWhere = (events: string, quarters: string) => [
    db.prepare(`INSERT INTO tool_use ${selectToolUse(`event.file_id = +@file AND ${events}`)}`),
    db.prepare(
      `INSERT INTO spending ${selectSpending(
        `event.file_id = +@file AND ${events}`,
        `tool_use WHERE file_id = +@file AND ${quarters}`,
      )}`,
    ),
  ];
  const all = sumUpWhere("TRUE", "TRUE");
  const within = "event.time >= +@from AND event.time < +@to";
  const ofQuarter = sumUpWhere(within, "quarter = +@quarter");
  const withoutTime = sumUpWhere("event.time IS NULL", `quarter = ${NO_QUARTER}`);
  const into = (table: keyof typeof COARSER, which: string) =>
    db.prepare(`INSERT INTO ${table} ${selectCoarser(table, which)}`);
  const ofFile = "file_id = +@file";
  const quartersOfFile = into("quarter_spending", ofFile);
  const quarterOfFile = into("quarter_spending", `${ofFile} AND quarter = +@quarter`);
  const allTime = [
    into("session_spending", ofFile),
    into("session_total", ofFile),
    into("session_tool_use", ofFile),
  ];
  const deleteOf = (tables: string[], which: string) =>
    tables.map((table) => db.prepare(`DELETE FROM ${table} WHERE ${which}`));
  const byQuarter = ["spending", "tool_use", "quarter_spending"];
  const deleteQuarters = deleteOf(byQuarter, ofFile);
  const deleteQuarter = deleteOf(byQuarter, `${ofFile} AND quarter = +@quarter`);
  const deleteAllTime = deleteOf(["session_spending", "session_total", "session_tool_use"], ofFile);
  const blocks = prepareBlocks(db);
  const changed = new Map<number, Set<number> | "all">();

  function run(statements: readonly SQLite.Statement[], parameters: Record<string, number>): void {
    for (const statement of statements) statement.run(parameters);
  }

  function sumUp(file: number, quarters: Set<number> | "all"): void {
    if (quarters === "all" || quarters.size > MOST_QUARTERS) {
      blocks.changedOf(file);
      run([...deleteQuarters, ...all, quartersOfFile], { file });
      blocks.changedOf(file);
    } else {
      for (const quarter of quarters) sumUpQuarter(file, quarter);
    }
    run([...deleteAllTime, ...allTime], { file });
  }

  function sumUpQuarter(file: number, quarter: number): void {
    const from = quarter * QUARTER_MS;
    run(deleteQuarter, { file, quarter });
    if (quarter === NO_QUARTER) run(withoutTime, { file });
    else run(ofQuarter, { file, quarter, from, to: from + QUARTER_MS });
    run([quarterOfFile], { file, quarter });
    blocks.changedIn(quarter);
  }

  return {
    begin(): void {
      changed.clear();
      blocks.begin();
    },
    /** Notes that an event of a file changed. */
    changedAt(file: number, time: number | null): void {
      const quarters = changed.get(file);
      if (quarters === "all") return;
      if (quarters) quarters.add(quarterOf(time));
      else changed.set(file, new Set([quarterOf(time)]));
    },
    /** Notes that any event of a file may have changed. */
    changedAnywhere: (file: number) => void changed.set(file, "all"),
    /** Drops the sums of a file. */
    drop(file: number): void {
      changed.delete(file);
      blocks.changedOf(file);
      run([...deleteQuarters, ...deleteAllTime], { file });
    },
    /** The files of which something changed. */
    changedFiles: () => [...changed.keys()],
    /** Notes that a file may be a subagent's now, or no longer: that shows in the sums of all files. */
    changedHands: blocks.changedOf,
    settle(): void {
      for (const [file, quarters] of changed) sumUp(file, quarters);
      changed.clear();
      blocks.settle();
    },
  };
}
