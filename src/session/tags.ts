/** A tag as it is looked for: in any case, however its accents are encoded. */
export function foldTag(tag: string): string {
  return tag.normalize("NFC").toLowerCase();
}

/** Tags without blanks around them, empty ones and doubles, in the order given. Two that differ in case are two. */
export function cleanTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ""))];
}
