import { type Row, type ShownSession, toRow } from "../model/view.ts";

interface Thread {
  session: ShownSession;
  forks: Thread[];
}

/**
 * Orders sessions so that forks follow their parent session, as in pi's `/resume`. Sessions without a listed parent keep their order, and
 * forks are sorted newest first. Sessions that are each other's parents are listed separately.
 */
export function toThreads(sessions: readonly ShownSession[]): Row[] {
  const byPath = new Map(sessions.map((session) => [session.path, { session, forks: [] } as Thread]));
  const roots: Thread[] = [];
  for (const thread of byPath.values()) {
    const parent = findParent(thread, byPath);
    if (parent) parent.forks.push(thread);
    else roots.push(thread);
  }
  const rows: Row[] = [];
  const stack = roots.map((thread) => ({ thread, stem: "", below: "" })).reverse();
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { thread, stem, below } = next;
    rows.push(toRow(thread.session, stem));
    const forks = thread.forks.sort((a, b) => a.session.modified - b.session.modified); // oldest first, because a stack reverses them
    forks.forEach((fork, n) => {
      const isLast = n === 0;
      stack.push({
        thread: fork,
        stem: `${below}${isLast ? "└─ " : "├─ "}`,
        below: `${below}${isLast ? "   " : "│  "}`,
      });
    });
  }
  return rows;
}

/** The parent session, if it is listed and not itself a descendant. */
function findParent(thread: Thread, byPath: ReadonlyMap<string, Thread>): Thread | undefined {
  const parent = byPath.get(thread.session.parentSessionPath ?? "");
  const seen = new Set([thread]);
  for (let above = parent; above; above = byPath.get(above.session.parentSessionPath ?? "")) {
    if (seen.has(above)) return undefined;
    seen.add(above);
  }
  return parent;
}
