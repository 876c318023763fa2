import type SQLite from "better-sqlite3";
import type { SqlView } from "./sql-view.ts";

/**
 * The views of a database and their documentation: SQLite stores the text of CREATE VIEW with its comments, one after
 * the name and one after each column.
 */
export function readViews(db: SQLite.Database): SqlView[] {
  const views = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'view' ORDER BY rowid",
    )
    .all();
  const columnsOf = db.prepare<[string], { name: string; type: string }>(
    "SELECT name, type FROM pragma_table_info(?) ORDER BY cid",
  );
  return views.map(({ name, sql }) => {
    const comments = new Map(
      [...sql.matchAll(/\bAS (\w+),? -- (.*)$/gm)].map(([, column, about]) => [column, about ?? ""]),
    );
    return {
      name,
      about: /^CREATE VIEW \w+ AS -- (.*)$/m.exec(sql)?.[1] ?? "",
      columns: columnsOf.all(name).map((column) => ({
        name: column.name,
        type: column.type === "INT" ? "INTEGER" : column.type,
        about: comments.get(column.name) ?? "",
      })),
    };
  });
}
