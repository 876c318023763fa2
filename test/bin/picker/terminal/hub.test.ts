/** The picker on a hub, in a terminal. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../../fixtures/builder.ts";
import { writeSignIn } from "../../../../library/hub/sign-in.ts";
import { addFile } from "../../../library/hub/hub-files.ts";
import { hasPostgres } from "../../../store/postgres/databases.ts";
import { temporaryFolder } from "../../../temporary.ts";
import { openTerminal } from "../../../terminal.ts";
import { startHub } from "../../hub/hubs.ts";
import { TestHome } from "./open-picker.ts";

const PIDEX = join(import.meta.dirname, "../../../../bin/pidex.ts");

test.skipIf(!hasPostgres)("Enter says how to get the session; with --print it prints it", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "till.jsonl");
  session({ id: "till" }).user("Round the tax.").write(path);
  await using hub = await startHub();
  const desk = await hub.addMachine(hub.owner, "desk");
  await addFile(hub, hub.owner, path);
  const home = new TestHome();
  const env = { PIDEX_CONFIG: folder, PIDEX_HUB: "1" };
  const { token, machine, person } = desk;
  writeSignIn({ url: hub.url, token, machine, person }, env);

  const open = (...argv: string[]) =>
    openTerminal({
      ...{ argv: [process.execPath, PIDEX, ...argv], env: { ...home.env, ...env } },
      ...{ cols: 100, rows: 24, cwd: folder },
    });
  const picker = await open("pick");
  await picker.until(`sessions of ${new URL(hub.url).host}, read-only`);
  picker.press("enter");
  await picker.until("on another machine: run pidex pull to get it, then resume it without --hub");
  picker.press("ctrl+r");
  await picker.until("then change it without --hub");
  picker.press("ctrl+c");
  expect(await picker.exit).toEqual({ code: 130 });

  const printing = await open("pick", "--hub", "--print", "path");
  await printing.until("Round the tax.");
  printing.press("enter");
  expect(await printing.exit).toEqual({ code: 0 });
  await printing.until(`${hub.owner.machine}:${path}`);
});
