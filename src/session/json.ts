/** What JSON gives, told apart without a schema. */

/** True for what JSON calls an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What JSON.parse says is wrong, without the text around the fault, which V8 quotes: it may be anything. */
export function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .replace(/, "?[\s\S]*$/, "")
    .replace(/\s+/g, " ")
    .slice(0, 120);
}
