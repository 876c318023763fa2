/** Changes reported by the server: received by one tab and passed on to all tabs. */
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Change } from "../../api/answers.ts";
import { apiGet, apiUrl, fetchApi, readLines } from "./api.ts";
import { isSignedIn } from "./signed-in.ts";

/** The status of the index and of the connection to it. */
interface IndexStatus {
  state: "connecting" | "syncing" | "fresh" | "problem" | "lost";
  label: string;
  message?: string;
}

export const indexStatus = signal<IndexStatus>({ state: "connecting", label: "connecting" });

const listeners = new Set<(paths: readonly string[] | undefined) => void>();

/** A message between tabs: the status, and the changed files. Without `paths`, any file may have changed. */
interface News {
  freshness: IndexStatus;
  changed?: { paths: readonly string[] | undefined };
}

const RECONNECT_DELAY_MS = 2000;
/** The prefix of a data line. Events of `pidex serve` have one data line each. */
const DATA = "data: ";

/**
 * Starts listening, in one tab of this browser for all of them. A browser opens at most six connections to a server for all its tabs: if each tab kept a stream open, the seventh
 * could send no requests.
 */
export function listenForChanges(): void {
  const name = "pidex-changes";
  const channel = new BroadcastChannel(name);
  let isListening = false;
  channel.onmessage = ({ data }: MessageEvent<News | "hello">) => {
    if (data !== "hello") onNews(data);
    else if (isListening) channel.postMessage({ freshness: indexStatus.value } satisfies News);
  };
  const broadcast = (news: News) => {
    onNews(news);
    channel.postMessage(news);
  };
  const start = (isSuccessor: boolean) => {
    isListening = true;
    return listen(broadcast, isSuccessor);
  };
  // Browsers don't freeze background tabs that hold a lock. When this tab is closed, the lock passes to another.
  void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
    if (lock) return start(false);
    channel.postMessage("hello"); // the listening tab answers with the status
    void navigator.locks.request(name, () => start(true));
    return undefined;
  });
}

/**
 * Listens, and reconnects when the connection is lost.
 *
 * @param isSuccessor whether another tab listened before, so that changes may have been missed in between
 */
async function listen(broadcast: (news: News) => void, isSuccessor: boolean): Promise<void> {
  let wasLost = isSuccessor;
  for (;;) {
    await waitForSignIn();
    try {
      if ((await apiGet("source")).hub !== undefined) return; // a hub reports no changes
      // The first views are loaded before the server knows this subscriber: it reports what has changed since.
      const events = await fetchApi(apiUrl("changes", { age: Math.ceil(performance.now()) }));
      if (wasLost) broadcast({ freshness: indexStatus.value, changed: { paths: undefined } });
      for await (const line of readLines(events))
        if (line.startsWith(DATA)) broadcast(toNews(JSON.parse(line.slice(DATA.length))));
    } catch {
      // The next request reports the error.
    }
    wasLost = true;
    broadcast({ freshness: { state: "lost", label: "disconnected" } });
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAY_MS));
  }
}

/** Resolves as soon as this browser is signed in. */
function waitForSignIn(): Promise<void> {
  return new Promise((resolve) => {
    const stop = isSignedIn.subscribe((isIn) => {
      if (!isIn) return;
      resolve();
      queueMicrotask(() => stop()); // `subscribe` calls back before it returns
    });
  });
}

function toNews(change: Change): News {
  if (change.kind === "problem")
    return { freshness: { state: "problem", label: "not up to date", message: change.message } };
  if (change.kind === "progress") {
    const { bytesDone, bytesTotal } = change.progress;
    const percent = bytesTotal > 0 ? Math.floor((bytesDone / bytesTotal) * 100) : 0;
    return { freshness: { state: "syncing", label: `indexing ${percent} %` } };
  }
  const news: News = { freshness: { state: "fresh", label: "up to date" } };
  return change.changed ? { ...news, changed: { paths: change.paths } } : news;
}

function onNews(news: News): void {
  indexStatus.value = news.freshness;
  if (news.changed) notify(news.changed.paths);
}

/** The changed files that listeners have not been notified of yet. */
let held: { paths: Set<string> | undefined } | undefined;
let holders = 0;

/** Holds changes back while many sessions are changed one by one, so that views load their data once. @returns ends it */
export function holdChanges(): () => void {
  holders++;
  return () => {
    if (--holders > 0 || !held) return;
    const { paths } = held;
    held = undefined;
    notify(paths && [...paths]);
  };
}

function notify(paths: readonly string[] | undefined): void {
  if (holders > 0) {
    held ??= { paths: new Set() };
    if (paths === undefined) held.paths = undefined;
    for (const path of paths ?? []) held.paths?.add(path);
    return;
  }
  for (const listener of listeners) listener(paths);
}

/** Loads the data of all views again. */
export function reloadViews(): void {
  notify(undefined);
}

/** A number that increases whenever a session changes, or only when the session at `path` does. */
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
