import type { SessionInfo } from "../../../library/index.ts";
import { counted, oneLine } from "../../format/safe.ts";
import { dayAndTime } from "../../format/times.ts";

/** A session's metadata as labels and values, escaped for display. */
export function factsOf(session: SessionInfo): [name: string, value: string][] {
  const { id, cwd, created, modified, entryCount, messageCount, provider, model, tags } = session;
  const facts: [string, string][] = [
    ["Session", id],
    ["Folder", cwd],
    ["Created", created ? dayAndTime(created) : ""],
    ["Modified", dayAndTime(modified)],
    ["Entries", `${counted(entryCount, "entry", "entries")}, including ${counted(messageCount, "message")}`],
    ["Model", model ? [provider, model].filter(Boolean).join("/") : ""],
    ["Tags", tags.join(", ")],
    ["Forked from", session.parentSessionPath ?? ""],
    ["Started by", session.startedBy ?? ""],
  ];
  return facts.flatMap(([name, value]) => (value === "" ? [] : [[name, oneLine(value)]]));
}
