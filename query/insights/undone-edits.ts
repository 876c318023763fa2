import type { Call } from "./collect.ts";
import type { CallFacts } from "./entry-facts.ts";

/** An edit, and the later edits of the session that restored what it had replaced: each at least a part, in order. */
export interface UndoneEdit {
  edit: Call;
  undoneBy: readonly Call[];
}

/**
 * The edits that a later edit of the same file in the same session undid: it replaced the lines that the first one added by those that
 * it had removed. Each replacement undoes the latest one that it is the opposite of.
 *
 * @param edits of one file in one session, in order
 */
export function findUndoneEdits(
  edits: readonly Call[],
  factsOf: (call: Call) => CallFacts | undefined,
): UndoneEdit[] {
  const undone = new Map<Call, Set<Call>>();
  const applied = new Map<string, Call[]>();
  for (const edit of edits) {
    const own: string[] = [];
    for (const { path, removed, added } of factsOf(edit)?.replacements ?? []) {
      const opposite = applied.get(`${path}\n${added}\n${removed}`)?.pop();
      if (opposite) undone.set(opposite, (undone.get(opposite) ?? new Set()).add(edit));
      own.push(`${path}\n${removed}\n${added}`);
    }
    // After its own replacements were compared: those of one call do not undo each other.
    for (const key of own) applied.set(key, [...(applied.get(key) ?? []), edit]);
  }
  return [...undone].map(([edit, undoneBy]) => ({ edit, undoneBy: [...undoneBy] }));
}
