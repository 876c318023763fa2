/** What changes in the sessions, as the server tells it. */
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { Change } from "../../api/answers.ts";

/** How the index is: being brought up to date, up to date, or not to be reached. */
export type Freshness =
  | { state: "connecting" }
  | { state: "syncing"; share: number }
  | { state: "fresh" }
  | { state: "problem"; message: string }
  | { state: "lost" };

export const freshness = signal<Freshness>({ state: "connecting" });

const listeners = new Set<(paths: readonly string[] | undefined) => void>();

/**
 * Begins to listen; the browser begins again by itself where the connection is lost. It is to be called before anything is
 * asked: what changes after it was asked is told.
 */
export function listenForChanges(): void {
  const source = new EventSource("/api/changes");
  let wasLost = false;
  source.onopen = () => {
    if (wasLost) tell(undefined); // what changed meanwhile was told to nobody
    wasLost = false;
  };
  source.onerror = () => {
    wasLost = true;
    freshness.value = { state: "lost" };
  };
  source.onmessage = ({ data }) => hear(JSON.parse(data) as Change);
}

function tell(paths: readonly string[] | undefined): void {
  for (const listener of listeners) listener(paths);
}

function hear(change: Change): void {
  if (change.kind === "problem") freshness.value = { state: "problem", message: change.message };
  else if (change.kind === "progress") {
    const { bytesDone, bytesTotal } = change.progress;
    freshness.value = { state: "syncing", share: bytesTotal > 0 ? bytesDone / bytesTotal : 0 };
  } else {
    freshness.value = { state: "fresh" };
    if (change.changed) tell(change.paths);
  }
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
