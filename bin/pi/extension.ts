/** The pi extension: commands, tools and background syncs. Docs: docs/pi-extension.md. */
import { blame } from "./blame.ts";
import { notify, registerCommand } from "./commands.ts";
import { Footer } from "./footer.ts";
import { handoff } from "./handoff.ts";
import { IndexClient } from "./index-client.ts";
import type { Pi, PiContext, PiEvent } from "./pi-types.ts";
import { recall } from "./recall.ts";
import { sessions } from "./sessions.ts";
import { spend } from "./spend.ts";
import { registerTools } from "./tools.ts";

/** Events after which session files have changed. */
const WRITE_EVENTS: PiEvent[] = ["session_start", "agent_end", "session_compact", "session_tree"];

export default function pidex(pi: Pi): void {
  let latest: PiContext | undefined;
  const shown = new Set<string>();
  const client = new IndexClient({
    onNotice(message) {
      // Each message once: a problem with the index recurs after every turn.
      if (!latest || shown.has(message)) return;
      shown.add(message);
      notify(latest, `pidex: ${message}`, "warning");
    },
    onSync() {
      if (latest) void footer.update(latest);
    },
  });
  const footer = new Footer(client);
  for (const event of WRITE_EVENTS) {
    pi.on(event, (_, ctx) => {
      latest = ctx;
      client.scheduleSync();
    });
  }
  pi.on("session_shutdown", () => {
    latest = undefined;
    client.close();
  });
  for (const command of [recall, handoff, sessions, spend, blame]) registerCommand(pi, client, command);
  registerTools(pi, client);
}
