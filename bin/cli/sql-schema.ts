import type { SqlView } from "../../library/index.ts";
import { toOneLine } from "../format/safe.ts";
import { pad, truncate } from "../format/text.ts";
import type { CommonOptions } from "./common-options.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withIndex } from "./run.ts";
import { formatRow } from "./table.ts";

/** `pidex sql --schema`: prints the views and their columns. */
export async function writeSqlSchema(io: Io, flags: CommonOptions): Promise<void> {
  await withIndex(io, { ...flags, sync: false }, async (index) => {
    const views = await index.sqlViews();
    if (flags.json) await writeJson(io, { views });
    else if (flags.ndjson) await writeJsonLines(io, views);
    else await io.out(io.isTerminal ? forPeople(io, views) : forPipes(views));
  });
}

/** Tab-separated columns for scripts: view, column, type, description. */
function forPipes(views: readonly SqlView[]): string {
  return views
    .flatMap(({ name, columns }) =>
      columns.map((column) => formatRow([name, column.name, column.type, column.about].map(toOneLine))),
    )
    .join("");
}

function forPeople(io: Io, views: readonly SqlView[]): string {
  const all = views.flatMap(({ columns }) => columns);
  const names = Math.max(...all.map(({ name }) => name.length));
  const types = Math.max(...all.map(({ type }) => type.length));
  return views
    .map(({ name, about, columns }) => {
      const lines = columns.map((column) => {
        const start = `  ${io.style("cyan", pad(column.name, names))}  ${pad(column.type, types)}`;
        return `${start}  ${io.style("dim", truncate(column.about, io.columns - names - types - 6))}\n`;
      });
      return `${io.style("bold", name)}  ${truncate(about, io.columns - name.length - 2)}\n${lines.join("")}`;
    })
    .join("\n");
}
