/** Where the sessions come from: this machine, or a hub; and the settings of the server. */
import { signal } from "@preact/signals";
import { apiGet } from "./api.ts";
import { isSignedIn } from "./signed-in.ts";

/** The host of the hub whose sessions are shown, which cannot be changed here; undefined for the sessions on this machine. */
export const hub = signal<string>();

/** The budget of the settings file: `200/month`. */
export const configuredBudget = signal<string>();

/** The time zone in which the server reads dates in queries. */
export const serverTimeZone = signal<string>();

/** Sets the above whenever this browser signs in. Call it before the first request. */
export function followSource(): void {
  isSignedIn.subscribe((isIn) => {
    if (isIn) void loadSource();
  });
}

async function loadSource(): Promise<void> {
  try {
    const source = await apiGet("source");
    hub.value = source.hub;
    configuredBudget.value = source.budget;
    serverTimeZone.value = source.timeZone;
  } catch {
    // The requests of the view report the error.
  }
}
