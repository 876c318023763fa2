import { PidexError } from "../../index.ts";
import { openInBrowser } from "../doing/browser.ts";
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
  const link = serving.newLink(path);
  await io.out(`${link}\n`);
  io.err(`${io.style("dim", "The link opens one browser, once. Enter prints another, Ctrl+C stops.")}\n`);
  if (open) await openOrSay(io, link);
  const stopListening = onEnter(io, () => void io.out(`${serving.newLink(path)}\n`));
  try {
    await stopped;
  } finally {
    stopListening();
    await serving.close();
  }
  return EXIT.done;
}

/** Where there is no browser, the link is there to be opened by hand. */
async function openOrSay(io: Io, link: string): Promise<void> {
  try {
    await openInBrowser(link);
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    notice(io, `${error.message}. ${error.hint}`);
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
