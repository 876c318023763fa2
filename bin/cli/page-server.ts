/** The page for who is in a terminal: served from the first time that something is to be shown on it. */
import { openInBrowser } from "../doing/browser.ts";
import type { Serving } from "../web/serve.ts";

export class PageServer {
  readonly #place: { db: string | undefined; roots: string[] | undefined };
  #serving: Promise<Serving> | undefined;

  constructor(place: { db: string | undefined; roots: string[] | undefined }) {
    this.#place = place;
  }

  /** Opens a session in the browser. @throws as `serve` and `openInBrowser` */
  async show({ id }: { id: string }): Promise<void> {
    const begun = this.#serving ?? this.#begin();
    this.#serving = begun;
    begun.catch(() => {
      this.#serving = undefined; // it may go well the next time
    });
    const serving = await begun;
    await openInBrowser(serving.newLink(`/session/${encodeURIComponent(id)}`));
  }

  async #begin(): Promise<Serving> {
    const { serve } = await import("../web/serve.ts");
    return serve(this.#place);
  }

  async close(): Promise<void> {
    await (await this.#serving)?.close();
  }
}
