import { existsSync } from "node:fs";

/** The system's Chromium, where Debian and most others have it. Another one: `PIDEX_CHROMIUM`. */
export const CHROMIUM = [process.env.PIDEX_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path) => path && existsSync(path),
);
