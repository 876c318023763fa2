import { PidexError } from "../../library/index.ts";
import { openInBrowser } from "../actions/browser.ts";
import type { SignInLink } from "../actions/sign-in-link.ts";
import type { Io } from "./io.ts";
import { type CommonOptions, checkRoots, EXIT, notice } from "./run.ts";

interface Flags extends CommonOptions {
  port?: number;
  /** Whether the browser is opened. */
  open: boolean;
}

/** `pidex serve`: the page, until Ctrl+C or SIGTERM. */
export async function run(
  io: Io,
  [query]: string[],
  { db, root: roots, port, open }: Flags,
): Promise<number> {
  if (roots) checkRoots(roots);
  const { serve } = await import("../web/serve.ts");
  const serving = await serve({
    db,
    roots,
    ...(port !== undefined && { port }),
    onNotice: (text) => notice(io, text),
  });
  const stopped = untilSignal();
  const path = query === undefined ? "/" : `/?${new URLSearchParams({ q: query })}`;
  const printLink = () => io.out(`${serving.newLink(path).href}\n`);
  const say = (text: string) => io.err(`${io.style("dim", text)}\n`);
  try {
    const failed = () => {
      notice(io, NO_BROWSER);
      void printLink();
    };
    if (open && (await isOpened(io, serving.newLink(path), failed))) {
      // Without what lets a browser in: stdout may be a file that others read.
      await io.out(`${serving.url}\n`);
      const ask = io.ask ? "press Enter for a link" : "run pidex serve --no-open, which prints a link";
      say(`Opened in your browser. If no page appears, ${ask}. Ctrl+C stops.`);
    } else {
      await printLink();
      const another = io.ask ? " Enter prints another," : "";
      say(`The link signs in one browser, once: keep it to yourself until then.${another} Ctrl+C stops.`);
    }
    const stopListening = onEnter(io, () => void printLink());
    await stopped.finally(stopListening);
  } finally {
    await serving.close();
  }
  return EXIT.done;
}

const NO_BROWSER = "no browser could be opened: open this link yourself";

/** Whether a browser was started; `failed` is called where it turns out that it was not. Where there is none, that is said, and the link is there to be opened by hand. */
async function isOpened(io: Io, link: SignInLink, failed: () => void): Promise<boolean> {
  try {
    await openInBrowser(link, failed);
    return true;
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    link.revoke();
    notice(io, error.message);
    return false;
  }
}

/** What ends it as it should. A second one ends the process at once. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve());
  });
}

/** Where a person sits there, each Enter. @returns what ends that */
function onEnter(io: Io, pressed: () => void): () => void {
  if (!io.ask) return () => {};
  const { stdin } = process;
  stdin.on("data", pressed).resume();
  return () => {
    stdin.off("data", pressed).pause();
  };
}
