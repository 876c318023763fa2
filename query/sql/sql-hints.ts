import type SQLite from "better-sqlite3";
import type { SqlView } from "./sql-view.ts";
import { readViews } from "./views.ts";

/** What SQLite said of a query, with the place where that is plain, and what may have been meant. */
export function explained(
  db: SQLite.Database,
  message: string,
  sql: string,
): { message: string; hint?: string } {
  const unknown = /^no such (table|column|function): (.*)$/s.exec(message);
  const near = /^near "(.*)": syntax error$/s.exec(message);
  const place = placeOf(sql, unknown?.[2] ?? near?.[1]);
  return {
    message: place ? `${message} (${place})` : message,
    ...(unknown && hintOf(db, unknown[1] as string, unknown[2] as string, sql)),
  };
}

/** Where a piece of the SQL stands, if it stands there once: SQLite tells which, not where. */
function placeOf(sql: string, piece: string | undefined): string | undefined {
  if (piece === undefined || piece === "") return undefined;
  const at = sql.indexOf(piece);
  if (at < 0 || sql.includes(piece, at + 1)) return undefined;
  const before = sql.slice(0, at).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

function hintOf(db: SQLite.Database, what: string, name: string, sql: string): { hint?: string } {
  if (what === "function") {
    if (!/^regexp$/i.test(name)) return {};
    return { hint: "There is no REGEXP here: use LIKE or GLOB, or pidex search --regex." };
  }
  const views = readViews(db);
  if (what === "table") {
    const names = views.map((view) => view.name);
    const nearest = nearestTo(name, names);
    return { hint: nearest ? `Did you mean ${nearest}?` : `The views are ${names.join(", ")}.` };
  }
  const asked = views.filter((view) => new RegExp(`\\b${view.name}\\b`, "i").test(sql));
  const nearest = nearestTo(
    name.replace(/^.*\./s, ""),
    (asked.length > 0 ? asked : views).flatMap(columnNames),
  );
  if (nearest) return { hint: `Did you mean ${nearest}?` };
  const [view] = asked;
  return view ? { hint: `${view.name} has ${columnNames(view).join(", ")}.` } : {};
}

const columnNames = ({ columns }: SqlView): string[] => columns.map(({ name }) => name);

/** Longer names are nobody's slip of the finger. */
const LONGEST_NAME = 64;

/** The name that a slip of the finger or two would make of it. */
function nearestTo(wrong: string, names: readonly string[]): string | undefined {
  if (wrong.length > LONGEST_NAME) return undefined;
  const most = Math.max(1, Math.floor(wrong.length / 3));
  let nearest: string | undefined;
  let least = most + 1;
  for (const name of names) {
    const edits = editsBetween(wrong.toLowerCase(), name);
    if (edits < least) [nearest, least] = [name, edits];
  }
  return nearest;
}

/** Characters to put in, leave out or replace, to come from one to the other. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
