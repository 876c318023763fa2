import type { SessionInfo } from "../../../library/index.ts";
import { formatCount, toOneLine } from "../../format/safe.ts";
import { formatModifiedTime } from "../../format/sessions.ts";
import { formatDateTime } from "../../format/times.ts";

/** A session's metadata as labels and values, escaped for display. */
export function toSessionFacts(session: SessionInfo): [name: string, value: string][] {
  const { id, cwd, created, entryCount, messageCount, provider, model, tags } = session;
  const facts: [string, string][] = [
    ["Session", id],
    ["Folder", cwd],
    ["Created", created ? formatDateTime(created) : ""],
    ["Modified", formatModifiedTime(session)],
    [
      "Entries",
      `${formatCount(entryCount, "entry", "entries")}, including ${formatCount(messageCount, "message")}`,
    ],
    ["Model", model ? [provider, model].filter(Boolean).join("/") : ""],
    ["Tags", tags.join(", ")],
    ["Forked from", session.parentSessionPath ?? ""],
    ["Started by", session.startedBy ?? ""],
  ];
  return facts.flatMap(([name, value]) => (value === "" ? [] : [[name, toOneLine(value)]]));
}
