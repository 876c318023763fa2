/** Opening the page in the user's browser. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter } from "node:path";
import { pathToFileURL } from "node:url";
import { PidexError } from "../../library/index.ts";
import { writeHandover } from "./handover-file.ts";
import type { SignInLink } from "./sign-in-link.ts";

/** A browser that has not opened the link by then does not: a file that signs in is not left lying about. In milliseconds. */
const HANDOVER_MS = 120_000;

/**
 * Opens a link in the user's browser: `$BROWSER`, else whatever the system has for that. The browser is started on a file that leads
 * to the link, which is removed when the link was used, after two minutes, or when the process ends; then the link is revoked.
 *
 * @param onFailed told when what was started says afterwards that it failed, as `xdg-open` does where there is no browser
 * @throws PidexError `AGENT_MISSING` where nothing could be started; the link is still good then
 */
export async function openInBrowser(link: SignInLink, onFailed: () => void = () => {}): Promise<void> {
  const file = writeHandover(link.href);
  let child: ChildProcess;
  try {
    child = (await startedBrowser(file.path)) ?? (await openedBySystem(file.path));
  } catch (cause) {
    file.remove();
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = "Run pidex serve --no-open, and open the link that it prints.";
    throw new PidexError("AGENT_MISSING", `no browser could be opened: ${reason}`, hint, { cause });
  }
  const timer = setTimeout(link.revoke, HANDOVER_MS).unref();
  let isEnded = false;
  child.on("error", () => {}); // it was begun: nobody waits for it any more
  child.once("exit", (code) => {
    if (code === 0 || isEnded) return; // once the page is there, how the browser ends says nothing
    link.revoke();
    onFailed();
  });
  void link.ended.then(() => {
    isEnded = true;
    clearTimeout(timer);
    file.remove();
  });
}

/** Starts the first of `$BROWSER`'s commands that is there, with the file in place of `%s`, or at its end. */
async function startedBrowser(path: string): Promise<ChildProcess | undefined> {
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
      continue; // not there: the next one, or the system's own
    }
    child.unref();
    return child;
  }
  return undefined;
}

async function openedBySystem(path: string): Promise<ChildProcess> {
  const { default: open } = await import("open");
  return open(path);
}
