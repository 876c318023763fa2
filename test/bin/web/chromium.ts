import { existsSync } from "node:fs";

/**
 * The path of Chromium: `PIDEX_CHROMIUM`, or where most Linux distributions install it. Preferably the headless shell, which is
 * the same engine without the browser around it: the tests take 40 % less processor time.
 */
export const CHROMIUM = [
  process.env.PIDEX_CHROMIUM,
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
].find((path) => path && existsSync(path));
