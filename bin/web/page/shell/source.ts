/** Where the sessions come from: this machine, or a hub. */
import { signal } from "@preact/signals";
import { apiGet } from "./api.ts";
import { isSignedIn } from "./signed-in.ts";

/** The host of the hub whose sessions are shown, which cannot be changed here; undefined for the sessions on this machine. */
export const hub = signal<string>();

/** Sets `hub` whenever this browser signs in. Call it before the first request. */
export function followSource(): void {
  isSignedIn.subscribe((isIn) => {
    if (isIn) void loadHub();
  });
}

async function loadHub(): Promise<void> {
  try {
    hub.value = (await apiGet("source")).hub;
  } catch {
    // The requests of the view report the error.
  }
}
