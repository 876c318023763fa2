/** Tags to add and to remove. */
export interface TagChange {
  add: readonly string[];
  remove: readonly string[];
}

/** The form of a tag used for comparison, as in searches: without a leading `#`, in lower case. */
export function foldTag(tag: string): string {
  return tag
    .replace(/^[\s#]+/, "")
    .trimEnd()
    .normalize("NFC")
    .toLowerCase();
}

/** Tags after a change. */
export function changeTags(tags: readonly string[], { add, remove }: TagChange): string[] {
  const removed = new Set(remove.map(foldTag));
  const kept = tags.filter((tag) => !removed.has(foldTag(tag)));
  const known = new Set(kept.map(foldTag));
  return [...kept, ...add.filter((tag) => !known.has(foldTag(tag)))];
}
