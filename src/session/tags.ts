/** A tag as people give it, without a leading `#` and spaces. */
export function parseTag(text: string): string {
  return text.replace(/^[\s#]+/, "").trimEnd();
}

/** The form of a tag used for comparison: as `parseTag` returns it, in lower case, Unicode NFC. */
export function foldTag(tag: string): string {
  return parseTag(tag).normalize("NFC").toLowerCase();
}

/** Parses tags and removes empty ones and duplicates; keeps their order. Tags that differ in case are different. */
export function normalizeTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(parseTag).filter((tag) => tag !== ""))];
}
