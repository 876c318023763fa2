/** The extension that pi loads: commands, tools, and an index that is current. Docs: docs/pi-extension.md. */
import { notice, registerCommand } from "./commands.ts";
import { IndexClient } from "./index-client.ts";
import type { Pi, PiContext, PiEvent } from "./pi-types.ts";
import { recall } from "./recall.ts";
import { sessions } from "./sessions.ts";
import { spend } from "./spend.ts";
import { registerTools } from "./tools.ts";

/** Behind these, there is something new in session files. */
const WRITING: PiEvent[] = ["session_start", "agent_end", "session_compact", "session_tree"];

export default function pidex(pi: Pi): void {
  let latest: PiContext | undefined;
  const told = new Set<string>();
  const client = new IndexClient({
    onNotice(message) {
      // Each once: what is wrong with an index is so after every turn.
      if (!latest || told.has(message)) return;
      told.add(message);
      notice(latest, `pidex: ${message}`, "warning");
    },
  });
  for (const event of WRITING) {
    pi.on(event, (_, ctx) => {
      latest = ctx;
      client.sync();
    });
  }
  pi.on("session_shutdown", () => {
    latest = undefined;
    client.end();
  });
  for (const command of [recall, sessions, spend]) registerCommand(pi, client, command);
  registerTools(pi, client);
}
