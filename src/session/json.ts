import { toMessage } from "../errors.ts";

/** True for a JSON object: not null, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The message of a JSON.parse error, without the text around the error that V8 quotes: that may be session content. */
export function describeJsonError(error: unknown): string {
  return toMessage(error)
    .replace(/, "?[\s\S]*$/, "")
    .replace(/\s+/g, " ")
    .slice(0, 120);
}
