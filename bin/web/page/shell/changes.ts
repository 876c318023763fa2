/** What changes in the sessions, as the server tells it: to one tab, and by that to all. */
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Change } from "../../api/answers.ts";
import { serverSentEvents } from "./lines.ts";
import { inOneTab, type WorkingTab } from "./one-tab.ts";
import { isSignedIn } from "./signed-in.ts";

/** How the index is: being brought up to date, up to date, or not to be reached. */
export type Freshness =
  | { state: "connecting" }
  | { state: "syncing"; share: number }
  | { state: "fresh" }
  | { state: "problem"; message: string }
  | { state: "lost" };

export const freshness = signal<Freshness>({ state: "connecting" });

const listeners = new Set<(paths: readonly string[] | undefined) => void>();

/** What tabs tell each other: how the index is, and which files changed, or that any may have. */
interface News {
  freshness: Freshness;
  changed?: { paths: readonly string[] | undefined };
}

/** How soon it is begun again where the connection is lost, in milliseconds. */
const BEGIN_AGAIN_MS = 2000;

/** Begins to listen. It is to be called before anything is asked: what changes after it was asked is told. */
export function listenForChanges(): void {
  inOneTab<News>("pidex-changes", { work: listen, hear, greet: () => ({ freshness: freshness.value }) });
}

/** Listens, and begins again where the connection is lost. */
async function listen({ tell, isSuccessor }: WorkingTab<News>): Promise<void> {
  let wasLost = isSuccessor;
  for (;;) {
    await signedIn();
    try {
      for await (const change of serverSentEvents<Change>("changes")) {
        if (change) tell(newsOf(change));
        else if (wasLost) tell({ freshness: freshness.value, changed: { paths: undefined } });
        wasLost = false;
      }
    } catch {
      // What is asked next tells why.
    }
    wasLost = true;
    tell({ freshness: { state: "lost" } });
    await new Promise((resolve) => setTimeout(resolve, BEGIN_AGAIN_MS));
  }
}

/** Resolved as soon as this browser is signed in. */
function signedIn(): Promise<void> {
  return new Promise((resolve) => {
    const stop = isSignedIn.subscribe((isIn) => {
      if (!isIn) return;
      resolve();
      queueMicrotask(() => stop()); // it is called while it subscribes, too
    });
  });
}

function newsOf(change: Change): News {
  if (change.kind === "problem") return { freshness: { state: "problem", message: change.message } };
  if (change.kind === "progress") {
    const { bytesDone, bytesTotal } = change.progress;
    return { freshness: { state: "syncing", share: bytesTotal > 0 ? bytesDone / bytesTotal : 0 } };
  }
  const news: News = { freshness: { state: "fresh" } };
  return change.changed ? { ...news, changed: { paths: change.paths } } : news;
}

function hear(news: News): void {
  freshness.value = news.freshness;
  if (!news.changed) return;
  for (const listener of listeners) listener(news.changed.paths);
}

/** A number that grows whenever sessions change, of one file alone where that is given. */
export function useVersion(path?: string): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const listener = (paths: readonly string[] | undefined) => {
      if (path === undefined || paths === undefined || paths.includes(path))
        setVersion((before) => before + 1);
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [path]);
  return version;
}
