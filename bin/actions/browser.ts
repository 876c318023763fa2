/** Opens links in the user's browser. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter } from "node:path";
import { pathToFileURL } from "node:url";
import { PidexError } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { writeRedirectFile } from "./redirect-file.ts";
import type { SignInLink } from "./sign-in-link.ts";

/** The file with the sign-in link is removed after this time. */
const HANDOVER_TIMEOUT_MS = 120_000;

/**
 * Opens a link in the user's browser: `$BROWSER`, else the system's default. The browser opens a file that redirects to the
 * link. The file is removed and the link revoked after use, after two minutes, or when the process ends.
 *
 * @param onFailed called if the started program fails later, as `xdg-open` does without a browser
 * @throws PidexError `AGENT_MISSING` if no program could be started; the link remains valid
 */
export async function openInBrowser(link: SignInLink, onFailed: () => void = () => {}): Promise<void> {
  const file = writeRedirectFile(link.href);
  let child: ChildProcess;
  try {
    child = (await startBrowser(file.path)) ?? (await openBySystem(file.path));
  } catch (cause) {
    file.remove();
    const reason = toMessage(cause);
    const hint = "Run pidex serve --no-open and open the link it prints.";
    throw new PidexError("AGENT_MISSING", `cannot open a browser: ${reason}`, hint, { cause });
  }
  const timer = setTimeout(link.revoke, HANDOVER_TIMEOUT_MS).unref();
  let isEnded = false;
  child.on("error", () => {}); // started already; later errors don't matter
  child.once("exit", (code) => {
    if (code === 0 || isEnded) return; // after the link was used, the exit code means nothing
    link.revoke();
    onFailed();
  });
  void link.ended.then(() => {
    isEnded = true;
    clearTimeout(timer);
    file.remove();
  });
}

/** Starts the first available command of `$BROWSER`, with the file in place of `%s` or as the last argument. */
async function startBrowser(path: string): Promise<ChildProcess | undefined> {
  const target = pathToFileURL(path).href;
  for (const command of (process.env.BROWSER ?? "").split(delimiter)) {
    const words = command.split(/\s+/).filter(Boolean);
    const [program, ...rest] = words.some((word) => word.includes("%s"))
      ? words.map((word) => word.replaceAll("%s", target))
      : [...words, target];
    if (words.length === 0 || program === undefined) continue;
    const child = spawn(program, rest, { stdio: "ignore", detached: true });
    try {
      await once(child, "spawn");
    } catch {
      continue; // not installed: try the next one, or the system's default
    }
    child.unref();
    return child;
  }
  return undefined;
}

/** @throws Error if only a browser for the terminal could start: pidex is using the terminal, and the browser would wait unseen. */
async function openBySystem(path: string): Promise<ChildProcess> {
  const { DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = process.env;
  const hasDisplay = process.platform !== "linux" || DISPLAY || WAYLAND_DISPLAY || WSL_DISTRO_NAME;
  if (!hasDisplay) throw new Error("there is no display");
  const { default: open } = await import("open");
  return open(path);
}
