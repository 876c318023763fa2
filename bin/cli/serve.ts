import { PidexError } from "../../library/index.ts";
import { openInBrowser } from "../actions/browser.ts";
import type { SignInLink } from "../actions/sign-in-link.ts";
import { waitForAbort } from "../actions/wait-for-abort.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { assertRootsExist, printNotice, runUntilSignal, usesHub } from "./run.ts";

/** `pidex serve`: serves the web page until Ctrl+C, SIGTERM or the end of the terminal. */
export async function run(io: Io, [query]: string[], flags: Flags<"serve">): Promise<void> {
  const { db, root: roots, port, open } = flags;
  if (roots) assertRootsExist(roots);
  const [{ serve }, { getStay, signOutBrowsers }] = await Promise.all([
    import("../web/serve.ts"),
    import("../web/stay-signed-in.ts"),
  ]);
  if (flags.signOut) signOutBrowsers();
  const hub = usesHub(flags) ? (await import("../../library/hub/sign-in.ts")).requireSignIn() : undefined;
  const onNotice = (text: string) => printNotice(io, text);
  const stay = port === undefined ? getStay({ db, roots, hub }, { onNotice }) : undefined;
  const serving = await serve({ db, roots, hub, port, stay, onNotice });
  const path = query === undefined ? "/" : `/?${new URLSearchParams({ q: query })}`;
  const printLink = () => io.out(`${serving.createLink(path).href}\n`);
  const hint = (text: string) => io.err(`${io.style("dim", text)}\n`);
  await runUntilSignal(["SIGINT", "SIGTERM", "SIGHUP"], async (signal) => {
    const failed = () => {
      printNotice(io, NO_BROWSER);
      void printLink();
    };
    if (open && (await tryOpen(io, serving.createLink(path), failed))) {
      // Without the sign-in token: stdout may be a file that others can read.
      await io.out(`${serving.url}\n`);
      const ask = io.ask ? "press Enter for a link" : "run pidex serve --no-open to print a link";
      hint(`Opened in your browser. If no page appears, ${ask}. Ctrl+C stops.`);
    } else {
      await printLink();
      const another = io.ask ? " Press Enter for another." : "";
      const staying = serving.isStaying ? " That browser stays signed in." : "";
      hint(
        `The link signs in one browser, once. Keep it private until you have used it.${staying}${another} Ctrl+C stops.`,
      );
    }
    const stopListening = onEnter(io, () => void printLink());
    await waitForAbort(signal).finally(stopListening);
  }).finally(() => serving.close());
}

const NO_BROWSER = "cannot open a browser; open this link instead";

/** Opens a link. @returns false, after a notice, if no browser could be started; `failed` is called if one starts and then fails */
async function tryOpen(io: Io, link: SignInLink, failed: () => void): Promise<boolean> {
  try {
    await openInBrowser(link, failed);
    return true;
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    link.revoke();
    printNotice(io, error.message);
    return false;
  }
}

/** Calls `pressed` for each Enter if stdin is a terminal. @returns a function that stops listening */
function onEnter(io: Io, pressed: () => void): () => void {
  if (!io.ask) return () => {};
  const { stdin } = process;
  stdin.on("data", pressed).resume();
  return () => {
    stdin.off("data", pressed).pause();
  };
}
