import { PidexError } from "../../index.ts";

/**
 * Opens a link in the user's browser, whatever the system has for that.
 *
 * @throws PidexError `AGENT_MISSING` where nothing there opens links
 */
export async function openInBrowser(link: string): Promise<void> {
  try {
    const { default: open } = await import("open");
    const child = await open(link);
    child.on("error", () => {}); // it was begun: nobody waits for it any more
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PidexError("AGENT_MISSING", `no browser could be opened: ${reason}`, "Open the link by hand.", {
      cause,
    });
  }
}
