/** Runs the initialization of a native addon, under a guard in threads: see `library/host/exit-guard.ts`. */
type Guard = (initialize: () => void) => void;

let guard: Guard | undefined;

export function setAddonGuard(run: Guard): void {
  guard = run;
}

/** Initializes an addon now if this thread has a guard; elsewhere the first use initializes it. */
export function initializeAddon(initialize: () => void): void {
  guard?.(initialize);
}
