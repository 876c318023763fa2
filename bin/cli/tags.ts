import type { SessionInfo } from "../../library/index.ts";
import { toOneLine } from "../format/safe.ts";
import { formatDateTime } from "../format/times.ts";
import type { Flags } from "./commands.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { queryCommand } from "./run.ts";
import { createFieldSelector } from "./select-fields.ts";
import { type Column, formatRow, formatTable } from "./table.ts";
import type { TagJson } from "./tag-answers.ts";

const COLUMNS: readonly Column[] = [
  { heading: "TAG", style: "yellow", shrinksFirst: true },
  { heading: "SESSIONS", align: "right" },
  { heading: "LAST USED", omitOrder: 1 },
];

/** `pidex tags`: the most recently used first. */
export const run = queryCommand(async (io, index, _, { json, ndjson, limit }: Flags<"tags">) => {
  const select = createFieldSelector<TagJson>(Array.isArray(json) ? json : FIELDS, FIELDS);
  const { sessions } = await index.listAll({ tags: ["*"], subagents: "yes", archived: "yes" });
  const tags = countTags(sessions).slice(0, limit);
  if (json) await writeJson(io, { tags: tags.map(select) });
  else if (ndjson) await writeJsonLines(io, tags);
  else if (tags.length === 0) io.err("no tags; add one: pidex tag SESSION TAG\n");
  else if (io.isTerminal) {
    const rows = tags.map(({ tag, sessions, modified }) => [
      toOneLine(tag),
      String(sessions),
      formatDateTime(new Date(modified)),
    ]);
    await io.out(formatTable(io, COLUMNS, rows));
  } else {
    for (const { tag, sessions, modified } of tags) {
      await io.out(formatRow([toOneLine(tag), sessions, modified]));
    }
  }
});

const FIELDS = ["tag", "sessions", "modified"];

function countTags(sessions: readonly SessionInfo[]): TagJson[] {
  const byTag = Map.groupBy(
    sessions.flatMap((session) => session.tags.map((tag) => ({ tag, modified: session.modified }))),
    ({ tag }) => tag,
  );
  return [...byTag]
    .map(([tag, uses]) => ({
      tag,
      sessions: uses.length,
      modified: new Date(Math.max(...uses.map(({ modified }) => modified.getTime()))).toISOString(),
    }))
    .sort((a, b) => b.modified.localeCompare(a.modified) || a.tag.localeCompare(b.tag));
}
