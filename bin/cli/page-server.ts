import { PidexError } from "../../library/index.ts";
import { openInBrowser } from "../actions/browser.ts";
import type { HubLocation, IndexLocation } from "../actions/index-location.ts";
import type { RunningServer } from "../web/serve.ts";

/** Serves the web page for the picker, starting with the first session that is opened in a browser. */
export function createPageServer(location: IndexLocation & { hub?: HubLocation | undefined }) {
  let serving: Promise<RunningServer> | undefined;
  const start = async () => {
    const [{ serve }, { getStay }] = await Promise.all([
      import("../web/serve.ts"),
      import("../web/stay-signed-in.ts"),
    ]);
    return serve({ ...location, stay: getStay(location), linksFrom: "picker" });
  };
  return {
    /**
     * Opens a session in the browser.
     *
     * @param onFailed called if the browser starts and then fails
     * @throws as `serve`; PidexError `AGENT_MISSING` if no browser can be started
     */
    async show({ id }: { id: string }, onFailed: (error: PidexError) => void): Promise<void> {
      serving ??= start().catch((error) => {
        serving = undefined; // the next call may succeed
        throw error;
      });
      const link = (await serving).createLink(`/session/${encodeURIComponent(id)}`);
      try {
        await openInBrowser(link, () => onFailed(noBrowser()));
      } catch (error) {
        link.revoke();
        throw error instanceof PidexError && error.code === "AGENT_MISSING" ? noBrowser(error) : error;
      }
    },
    async close(): Promise<void> {
      await (await serving)?.close();
    },
  };
}

/** The message must fit one line of 80 columns, which a sign-in link doesn't. */
function noBrowser(cause?: PidexError): PidexError {
  const message = "cannot open a browser; pidex serve --no-open prints a link";
  return new PidexError("AGENT_MISSING", message, "Set $BROWSER to a browser command.", { cause });
}
