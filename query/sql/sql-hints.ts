import type SQLite from "better-sqlite3";
import { findNearestWord } from "../../src/nearest-word.ts";
import type { SqlView } from "./sql-view.ts";
import { readViews } from "./views.ts";

/** SQLite's message with the location in the SQL, where that is unambiguous, and a hint such as a similar name. */
export function explainError(
  db: SQLite.Database,
  message: string,
  sql: string,
): { message: string; hint?: string } {
  const unknown = /^no such (table|column|function): (.*)$/s.exec(message);
  const near = /^near "(.*)": syntax error$/s.exec(message);
  const location = findUnique(sql, unknown?.[2] ?? near?.[1]);
  return {
    message: location ? `${message} (${location})` : message,
    ...(unknown && toHint(db, unknown[1] as string, unknown[2] as string, sql)),
  };
}

/** The line and column of a token that occurs once: SQLite's message has the token, not its location. */
function findUnique(sql: string, token: string | undefined): string | undefined {
  if (token === undefined || token === "") return undefined;
  const index = sql.indexOf(token);
  if (index < 0 || sql.includes(token, index + 1)) return undefined;
  const before = sql.slice(0, index).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

function toHint(db: SQLite.Database, what: string, name: string, sql: string): { hint?: string } {
  if (what === "function") {
    if (!/^regexp$/i.test(name)) return {};
    return { hint: "REGEXP is not available: use LIKE or GLOB, or pidex search --regex." };
  }
  const views = readViews(db);
  if (what === "table") {
    const names = views.map((view) => view.name);
    const nearest = findNearestWord(name, names);
    return { hint: nearest ? `Did you mean ${nearest}?` : `The views are ${names.join(", ")}.` };
  }
  const used = views.filter((view) => new RegExp(`\\b${view.name}\\b`, "i").test(sql));
  const columns = (used.length > 0 ? used : views).flatMap(columnNames);
  const nearest = findNearestWord(name.replace(/^.*\./s, ""), columns);
  if (nearest) return { hint: `Did you mean ${nearest}?` };
  const [view] = used;
  return view ? { hint: `The columns of ${view.name} are ${columnNames(view).join(", ")}.` } : {};
}

const columnNames = ({ columns }: SqlView): string[] => columns.map(({ name }) => name);
