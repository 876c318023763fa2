/** The width of the sidebar as the user set it, kept in the browser. */
import { signal } from "@preact/signals";

const KEY = "pidex-sidebar-width";
/** In pixels. */
export const MIN_WIDTH = 192;
export const MAX_WIDTH = 640;

const stored = Number(globalThis.localStorage?.getItem(KEY) ?? Number.NaN);

/** In pixels; undefined for the default, which depends on the window. */
export const sidebarWidth = signal<number | undefined>(
  stored >= MIN_WIDTH && stored <= MAX_WIDTH ? stored : undefined,
);

export function setSidebarWidth(width: number | undefined): void {
  // At least half of the window is for the transcript.
  const max = Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, innerWidth / 2));
  const next = width === undefined ? undefined : Math.round(Math.min(max, Math.max(MIN_WIDTH, width)));
  sidebarWidth.value = next;
  if (next === undefined) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, String(next));
}
