/** What `pidex status` prints, in pi's footer, if the setting `pi_status` is on. */
import type { IndexClient } from "./index-client.ts";
import { getCurrentSession, type PiContext } from "./pi-types.ts";

/** pi shows the entries of extensions in the order of these names. */
const KEY = "pidex-status";

export class Footer {
  readonly #client: IndexClient;
  /** Settings are read when the index process starts: if there is nothing to show, it gets one request. */
  #isOff = false;

  constructor(client: IndexClient) {
    this.#client = client;
  }

  /** Never rejects: the sync before it reports the same errors. */
  async update(ctx: PiContext): Promise<void> {
    try {
      if (this.#isOff || !ctx.hasUI) return;
      const currentSession = getCurrentSession(ctx);
      const { path: session } = currentSession;
      const { data } = await this.#client.request("status", session === undefined ? {} : { session }, {
        currentSession,
      });
      this.#isOff = data.line === undefined;
      // The sums of an incomplete index would be too low.
      if (!this.#isOff && data.remark === undefined) ctx.ui.setStatus(KEY, data.line);
    } catch {
      // Also the context of a session that was switched away from.
    }
  }
}
