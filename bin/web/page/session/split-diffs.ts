/** Whether diffs have two columns where there is room for them, kept in the browser. */
import { signal } from "@preact/signals";

const KEY = "pidex-split-diffs";

/** Width of a transcript, in pixels, from which two columns are readable: that of a window of 1440 pixels beside the tree. */
export const MIN_SPLIT_WIDTH = 1040;

export const splitsDiffs = signal(globalThis.localStorage?.getItem(KEY) === "yes");

export function setSplitDiffs(isOn: boolean): void {
  splitsDiffs.value = isOn;
  if (isOn) localStorage.setItem(KEY, "yes");
  else localStorage.removeItem(KEY);
}
