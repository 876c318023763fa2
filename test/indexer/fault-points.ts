import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import SQLite from "better-sqlite3";

// biome-ignore lint/suspicious/noExplicitAny: whatever they take and give is passed on
type Calls = Record<string, (...args: any[]) => unknown>;

/** File operations of a sync: its process may be killed at each. */
const FILE_CALLS = ["openSync", "closeSync", "readSync", "fstatSync", "statSync", "lstatSync", "readdirSync"];

/**
 * Calls back before each SQLite statement and each file access in this process, until the returned function is called.
 *
 * @param onPoint called with the number of the point, from 1, and the operation that follows; it may read files
 */
export function onFaultPoints(onPoint: (point: number, operation: string) => void): () => void {
  let points = 0;
  let isReporting = false;
  const point = (operation: string) => {
    if (isReporting) return;
    isReporting = true;
    try {
      onPoint(++points, operation);
    } finally {
      isReporting = false;
    }
  };
  const undo: (() => void)[] = [];
  const patch = (calls: Calls, name: string) => {
    const original = calls[name] as Calls[string];
    calls[name] = function (this: { source?: string }, ...args) {
      point(`${name} ${this?.source ?? ""}`);
      return original.apply(this, args);
    };
    undo.push(() => {
      calls[name] = original;
    });
  };

  const probe = new SQLite(":memory:");
  const statement = Object.getPrototypeOf(probe.prepare("SELECT 1")) as Calls;
  probe.close();
  for (const name of ["run", "get", "all", "iterate"]) patch(statement, name);
  patch(SQLite.prototype as unknown as Calls, "exec");
  for (const name of FILE_CALLS) patch(fs as unknown as Calls, name);
  syncBuiltinESMExports();
  return () => {
    for (const restore of undo) restore();
    syncBuiltinESMExports();
  };
}
