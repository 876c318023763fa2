/** The budget that was typed on the page. It is one for all usage, and this browser keeps it. */
import { signal } from "@preact/signals";

const KEY = "pidex-budget";

export const ownBudget = signal(globalThis.localStorage?.getItem(KEY) ?? "");

/** @param text "" forgets it */
export function keepBudget(text: string): void {
  ownBudget.value = text;
  if (text === "") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, text);
}
