import type { SessionInfo } from "../../library/index.ts";
import { toOneLine } from "../format/safe.ts";
import { formatDateTime } from "../format/times.ts";
import type { Flags } from "./commands.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { queryCommand } from "./run.ts";
import { createFieldSelector, getJsonFields } from "./select-fields.ts";
import { type Column, formatRow, formatTable } from "./table.ts";
import type { TagJson } from "./tag-answers.ts";

const COLUMNS: readonly Column[] = [
  { heading: "TAG", style: "yellow", shrinksFirst: true },
  { heading: "SESSIONS", align: "right" },
  { heading: "NEWEST SESSION", omitOrder: 1 },
];

/** `pidex tags`: those of the most recently modified sessions first. The index does not know when a tag was added. */
export const run = queryCommand(async (io, index, _, flags: Flags<"tags">) => {
  const { json, ndjson, limit } = flags;
  const select = createFieldSelector<TagJson>(getJsonFields(flags), FIELDS);
  const { sessions } = await index.listAll({ tags: ["*"], subagents: "yes", archived: "yes" });
  const tags = countTags(sessions).slice(0, limit);
  if (json) await writeJson(io, { tags: tags.map(select) });
  else if (ndjson) await writeJsonLines(io, tags.map(select));
  else if (tags.length === 0) io.err("no tags; add one: pidex tag SESSION TAG\n");
  else if (io.isTerminal) {
    const rows = tags.map(({ tag, sessions, modified }) => [
      toOneLine(tag),
      String(sessions),
      formatDateTime(new Date(modified)),
    ]);
    await withPager(io, flags, async (paged) => paged.out(formatTable(paged, COLUMNS, rows)));
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
