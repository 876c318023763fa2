import type { Label } from "../../index.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLine } from "./json.ts";
import { type CommonOptions, EXIT, withIndex } from "./run.ts";
import { type Column, table } from "./table.ts";
import { oneLine } from "./text.ts";
import { dayAndTime } from "./times.ts";

const COLUMNS: readonly Column[] = [
  { heading: "LABEL", style: "yellow" },
  { heading: "SET" },
  { heading: "ENTRY", style: "dim" },
  { heading: "SESSION", gives: true },
];

/** `pidex labels`. */
export async function run(io: Io, [session]: string[], options: CommonOptions): Promise<number> {
  return withIndex(io, options, async (index) => {
    const labels = await index.labels(session);
    if (options.json) writeJson(io, { labels });
    else if (options.ndjson) for (const label of labels) writeJsonLine(io, label);
    else if (labels.length > 0) io.out(table(io, COLUMNS, labels.map(rowOf)));
    return EXIT.done;
  });
}

function rowOf({ label, timestamp, targetId, sessionPath, line }: Label): string[] {
  const place = line === undefined ? sessionPath : `${sessionPath}:${line}`;
  return [oneLine(label), timestamp ? dayAndTime(new Date(timestamp)) : "", oneLine(String(targetId)), oneLine(place)];
}
