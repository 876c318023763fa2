import type { Redactor } from "../../../query/secrets/redact.ts";
import { isRecord } from "../../../src/session/json.ts";

/**
 * Masks the secrets in a line of a session file, without its newline. A line without secrets is returned as it is. The result depends on
 * the line alone, so that the digest of what was sent can be computed again.
 */
export function maskLine(line: Buffer, redactor: Redactor): Buffer {
  const before = redactor.count;
  const text = line.toString("utf8");
  const masked = maskText(text, redactor);
  // Of a field that is there twice, JSON.parse returns the last value: the others are only in the text.
  if (redactor.count === before && masked !== text) redactor.redactText(text);
  return redactor.count === before ? line : Buffer.from(masked);
}

function maskText(text: string, redactor: Redactor): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return redactor.redactText(text);
  }
  const structure = findStructure(value);
  const keeps = (holder: object, field: string) => structure.get(holder)?.has(field) === true;
  const [end = ""] = /\s*$/.exec(text) ?? []; // a carriage return
  return JSON.stringify(redactor.redactValue(value, keeps)) + end;
}

/** The fields that make the tree of a session, and that join results to calls. They are never changed. */
const ENTRY = new Set([
  ...["type", "id", "parentId", "timestamp", "targetId", "firstKeptEntryId", "fromId"],
  ...["summarizedThroughId", "provider", "modelId", "customType"],
]);
const MESSAGE = new Set([
  "role",
  "toolCallId",
  "toolName",
  "timestamp",
  "provider",
  "model",
  "api",
  "stopReason",
]);
const BLOCK = new Set(["type", "id", "name", "mimeType"]);
const IMAGE = new Set([...BLOCK, "data"]);

/** The objects of an entry that have fields of structure, and the names of these fields. */
function findStructure(entry: unknown): Map<object, ReadonlySet<string>> {
  const structure = new Map<object, ReadonlySet<string>>();
  if (!isRecord(entry)) return structure;
  structure.set(entry, ENTRY);
  const { message } = entry;
  if (isRecord(message)) structure.set(message, MESSAGE);
  for (const { content } of [entry, isRecord(message) ? message : {}]) {
    if (!Array.isArray(content)) continue;
    for (const block of content) if (isRecord(block)) structure.set(block, isImage(block) ? IMAGE : BLOCK);
  }
  return structure;
}

function isImage({ type, data }: Record<string, unknown>): boolean {
  return type === "image" && typeof data === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}
