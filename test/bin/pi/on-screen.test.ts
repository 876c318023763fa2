import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { BUILT_EXTENSION } from "../../built.ts";
import { hasPeers, PEER_VERSIONS, peerProgram } from "../../peer/peers.ts";
import { temporaryFolder } from "../../temporary.ts";
import { openTerminal } from "../../terminal.ts";

test.skipIf(!hasPeers).each(PEER_VERSIONS)(
  "on the screen of pi %s a hit is found while typing and quoted, and a session is opened",
  async (version) => {
    const folder = temporaryFolder();
    const [cwd, agent, home] = [join(folder, "work"), join(folder, "agent"), join(folder, "home")];
    for (const one of [cwd, agent, home]) mkdirSync(one);
    const roots = join(agent, "sessions");
    // Wide characters on a line that is too long: pi exits if a line is wider than the screen.
    const question = "灯台はなぜ暗いのか 🏮 Why is the lighthouse dark? ".repeat(3);
    session({ cwd })
      .user(question)
      .assistant("The quartz fuse had blown.")
      .write(join(roots, "--work--/lamps.jsonl"));
    session({ cwd, timestamp: "2026-02-01T09:00:00.000Z" })
      .user("Mend the pump")
      .assistant("Its valve \x1b[31mwas loose.")
      .write(join(roots, "--work--/pump.jsonl"));
    const pi = await openTerminal({
      argv: [
        process.execPath,
        peerProgram(version),
        "--offline",
        "--no-extensions",
        "--extension",
        BUILT_EXTENSION,
      ],
      cwd,
      env: {
        ...{ PATH: process.env.PATH, HOME: home, PI_CODING_AGENT_DIR: agent, ANTHROPIC_API_KEY: "none" },
        ...{ PIDEX_DB: join(folder, "index.db"), PIDEX_ROOTS: roots },
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, // otherwise pi leaves its own screen content
      },
      cols: 70,
      rows: 40,
    });
    await pi.until(/claude-/);
    await pi.until("[Extensions]"); // newer versions accept no command before this
    pi.write("/recall valve\r");
    await pi.until("→ 2026-02-01 · Mend the pump · assistant: Its valve ␛[31mwas loose.");
    for (const _ of "valve") pi.press("backspace");
    pi.write("quar");
    await pi.until(/> quar_\n→ 2026-01-05 · 灯台.*…\n ↑↓/);
    pi.press("enter");
    await pi.until("→ Quote it in the editor");
    pi.press("enter");
    await pi.until(/─\n> The quartz fuse had blown\.\n\(.*lamps/);
    pi.press("ctrl+c");
    await pi.until((rows) => !rows.includes("> The quartz fuse had blown."));
    pi.write("/sessions\r");
    await pi.until(/Sessions \(1 of 2\)\n > _\n→ 2026-02-01 · Mend the pump/);
    pi.press("enter");
    await pi.until("Resumed session");
  },
);
