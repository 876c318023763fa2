import type SQLite from "better-sqlite3";
import { CALL_SUMS, SUMS } from "../../src/store/sqlite/schema.ts";

type Row = Record<string, unknown>;

/** The tables of blocks, by what they are made of and what tells their rows apart. */
const TABLES: Record<string, { from: "spending" | "tool_use"; widths: number[]; key: string[] }> = {
  block_total: { from: "spending", widths: [4, 96], key: ["current", "subagent"] },
  block_model: { from: "spending", widths: [4, 96], key: ["model_id", "kind", "current", "subagent"] },
  block_spending: {
    from: "spending",
    widths: [96, 1536],
    key: ["model_id", "kind", "agent", "tool", "stop", "current", "subagent"],
  },
  block_tool_use: {
    from: "tool_use",
    widths: [96, 1536],
    key: ["model_id", "tool", "stop", "current", "subagent"],
  },
};

/** What blocks of time there are, as lines that can be compared. */
export function blocks(db: SQLite.Database): string[] {
  return Object.entries(TABLES).flatMap(([table, { from, key }]) =>
    rowsOf(db, table).map((row) => line(table, row, key, valuesOf(row, from))),
  );
}

/** What there should be: all that is own of the sums by quarter, put together one by one. */
export function naiveBlocks(db: SQLite.Database, subagents: readonly number[]): string[] {
  return Object.entries(TABLES).flatMap(([table, { from, widths, key }]) => {
    const sums = new Map<string, { row: Row; values: bigint[] }>();
    for (const spent of rowsOf(db, from).filter(({ standing }) => standing === 0n)) {
      for (const width of widths) {
        const start = BigInt(Math.floor(Number(spent.quarter) / width) * width);
        const subagent = subagents.includes(Number(spent.file_id)) ? 1n : 0n;
        const row = { ...spent, width: BigInt(width), start, subagent };
        const name = line(table, row, key, []);
        const values = valuesOf(spent, from);
        const before = sums.get(name)?.values;
        sums.set(name, {
          row,
          values: before ? values.map((value, n) => value + (before[n] ?? 0n)) : values,
        });
      }
    }
    return [...sums.values()].map(({ row, values }) => line(table, row, key, values));
  });
}

function rowsOf(db: SQLite.Database, table: string): Row[] {
  return db.prepare(`SELECT * FROM ${table}`).safeIntegers().all() as Row[];
}

function valuesOf(row: Row, from: "spending" | "tool_use"): bigint[] {
  return (from === "spending" ? SUMS : CALL_SUMS).map((name) => row[name] as bigint);
}

function line(table: string, row: Row, key: readonly string[], values: readonly bigint[]): string {
  return `${[table, ...["width", "start", ...key].map((name) => row[name])].join(" | ")} = ${values}`;
}
