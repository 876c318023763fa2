/** The page for who is in a terminal: served from the first time that something is to be shown on it. */
import { PidexError } from "../../library/index.ts";
import { openInBrowser } from "../actions/browser.ts";
import type { Serving } from "../web/serve.ts";

export class PageServer {
  readonly #place: { db: string | undefined; roots: string[] | undefined };
  #serving: Promise<Serving> | undefined;

  constructor(place: { db: string | undefined; roots: string[] | undefined }) {
    this.#place = place;
  }

  /**
   * Opens a session in the browser.
   *
   * @param onFailed called when the browser was started and then failed
   * @throws as `serve`; PidexError `AGENT_MISSING` when no browser can be started
   */
  async show({ id }: { id: string }, onFailed: (error: PidexError) => void): Promise<void> {
    const begun = this.#serving ?? this.#begin();
    this.#serving = begun;
    begun.catch(() => {
      this.#serving = undefined; // it may go well the next time
    });
    const serving = await begun;
    const link = serving.newLink(`/session/${encodeURIComponent(id)}`);
    try {
      await openInBrowser(link, () => onFailed(noBrowser()));
    } catch (error) {
      link.revoke();
      throw error instanceof PidexError && error.code === "AGENT_MISSING" ? noBrowser(error) : error;
    }
  }

  async #begin(): Promise<Serving> {
    const { serve } = await import("../web/serve.ts");
    return serve({ ...this.#place, linksFrom: "picker" });
  }

  async close(): Promise<void> {
    await (await this.#serving)?.close();
  }
}

/** On one line of 80 columns, which a link that signs in does not fit. */
function noBrowser(cause?: PidexError): PidexError {
  const message = "no browser could be opened: pidex serve --no-open prints a link";
  return new PidexError("AGENT_MISSING", message, "Name a browser in $BROWSER.", { cause });
}
