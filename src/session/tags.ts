/** The form of a tag used for comparison: lower case, Unicode NFC. */
export function foldTag(tag: string): string {
  return tag.normalize("NFC").toLowerCase();
}

/** Trims tags and removes empty ones and duplicates; keeps their order. Tags that differ in case are different. */
export function normalizeTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ""))];
}
