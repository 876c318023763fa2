import { type Row, type ShownSession, toRow } from "../model/view.ts";

interface Thread {
  session: ShownSession;
  parent: Thread | undefined;
  forks: Thread[];
}

/**
 * Orders sessions so that forks follow their parent session, as in pi's `/resume`. A thread is where its first session is in the list: with
 * the newest sessions first, threads are ordered by their newest session, and so are the forks of a session. Sessions that are each
 * other's parents are listed separately.
 */
export function toThreads(sessions: readonly ShownSession[]): Row[] {
  const byPath = new Map(
    sessions.map((session) => [session.path, { session, parent: undefined, forks: [] } as Thread]),
  );
  for (const thread of byPath.values()) thread.parent = findParent(thread, byPath);
  const roots: Thread[] = [];
  const placed = new Set<Thread>();
  for (const thread of byPath.values()) {
    let at: Thread | undefined = thread;
    for (; at && !placed.has(at); at = at.parent) {
      placed.add(at);
      (at.parent?.forks ?? roots).push(at);
    }
  }
  const rows: Row[] = [];
  const stack = roots.map((thread) => ({ thread, stem: "", below: "" })).reverse();
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { thread, stem, below } = next;
    rows.push(toRow(thread.session, stem));
    const last = thread.forks.length - 1;
    for (let n = last; n >= 0; n--) {
      stack.push({
        thread: thread.forks[n] as Thread,
        stem: `${below}${n === last ? "└─ " : "├─ "}`,
        below: `${below}${n === last ? "   " : "│  "}`,
      });
    }
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
