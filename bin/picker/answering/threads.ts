import type { ShownSession } from "../model/view.ts";

/** A session where it stands among those it was forked from. */
export interface Threaded {
  session: ShownSession;
  stem: string;
}

interface Thread {
  session: ShownSession;
  forks: Thread[];
}

/**
 * Sessions with their forks below them, as pi's `/resume` has them: those without a parent among them in the order given,
 * forks newest first. Sessions that name each other as parents in a circle stand by themselves.
 */
export function threaded(sessions: readonly ShownSession[]): Threaded[] {
  const byPath = new Map(sessions.map((session) => [session.path, { session, forks: [] } as Thread]));
  const roots: Thread[] = [];
  for (const thread of byPath.values()) {
    const parent = parentOf(thread, byPath);
    if (parent) parent.forks.push(thread);
    else roots.push(thread);
  }
  const lines: Threaded[] = [];
  const ahead = roots.map((thread) => ({ thread, stem: "", below: "" })).reverse();
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const { thread, stem, below } = next;
    lines.push({ session: thread.session, stem });
    const forks = thread.forks.sort((a, b) => a.session.modified - b.session.modified); // pushed last to first
    forks.forEach((fork, n) => {
      const isLast = n === 0;
      ahead.push({
        thread: fork,
        stem: `${below}${isLast ? "└─ " : "├─ "}`,
        below: `${below}${isLast ? "   " : "│  "}`,
      });
    });
  }
  return lines;
}

/** The session it was forked from, where that is shown too, and does not hang from it in turn. */
function parentOf(thread: Thread, byPath: ReadonlyMap<string, Thread>): Thread | undefined {
  const parent = byPath.get(thread.session.parentSessionPath ?? "");
  const seen = new Set([thread]);
  for (let above = parent; above; above = byPath.get(above.session.parentSessionPath ?? "")) {
    if (seen.has(above)) return undefined;
    seen.add(above);
  }
  return parent;
}
