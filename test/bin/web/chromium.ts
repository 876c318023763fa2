import { existsSync } from "node:fs";

/** The path of Chromium: `PIDEX_CHROMIUM`, or where most Linux distributions install it. */
export const CHROMIUM = [process.env.PIDEX_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path && existsSync(path),
);
