import type SQLite from "better-sqlite3";
import { initializeAddon } from "../../addon-loading.ts";
import { memoize } from "../../memoize.ts";

/** Returns the class of the SQLite driver. Not imported statically, because writing and listing sessions doesn't need it. */
export const loadDriver: () => Promise<typeof SQLite> = memoize(async () => {
  const { default: Handle } = await import("better-sqlite3");
  initializeAddon(() => new Handle(":memory:").close()); // the first handle initializes the addon
  return Handle;
});
