/** The picker on a hub, in a terminal. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Session, session } from "../../../../fixtures/builder.ts";
import { writeSignIn } from "../../../../library/hub/sign-in.ts";
import { addFile } from "../../../library/hub/hub-files.ts";
import { createMachine } from "../../../library/hub/machine.ts";
import { hasPostgres } from "../../../store/postgres/databases.ts";
import { temporaryFolder } from "../../../temporary.ts";
import { openTerminal } from "../../../terminal.ts";
import { type SignedIn, startHub } from "../../hub/hubs.ts";
import { TestHome } from "./open-picker.ts";

const PIDEX = join(import.meta.dirname, "../../../../bin/pidex.ts");

/** A hub, and a home folder with a machine `desk` of its owner. `open` starts pidex there. */
async function startDesk() {
  const hub = await startHub();
  onTestFinished(() => hub[Symbol.asyncDispose]());
  const home = new TestHome();
  const signedIn = await hub.addMachine(hub.owner, "desk");
  const { token, machine, person } = signedIn;
  const env = { ...home.env, PIDEX_CONFIG: home.folder, PIDEX_HUB: "1" };
  writeSignIn({ url: hub.url, token, machine, person }, env);
  /** Puts a session of a machine on the hub. @returns its path */
  const add = async (owner: SignedIn, draft: Session, folder = temporaryFolder()) => {
    const path = draft.write(join(folder, draft.fileName));
    await addFile(hub, owner, path);
    return path;
  };
  const open = (...argv: string[]) =>
    openTerminal({
      ...{ argv: [process.execPath, PIDEX, ...argv], env },
      ...{ cols: 100, rows: 24, cwd: home.folder },
    });
  return { hub, home, env, desk: signedIn, add, open };
}

test.skipIf(!hasPostgres)("Enter says how to get the session; with --print it prints it", async () => {
  const { hub, add, open } = await startDesk();
  const path = await add(hub.owner, session({ id: "till" }).user("Round the tax."));
  const picker = await open("pick");
  await picker.until(`sessions of ${new URL(hub.url).host}, read-only`);
  picker.press("enter");
  await picker.until("this session is on another machine. Run pidex pull; it fetches private sessions.");
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

test.skipIf(!hasPostgres)("Enter resumes this machine's own session", async () => {
  const { desk, home, add, open } = await startDesk();
  home.program("pi", `echo "$@" > "$HOME/args"`);
  const draft = session({ id: "till", cwd: home.project("shop") }).user("Round the tax.");
  const path = await add(desk, draft, home.sessions);
  const picker = await open("pick");
  await picker.until("Round the tax.");
  picker.press("enter");
  expect(await picker.exit).toEqual({ code: 0 });
  expect(readFileSync(join(home.folder, "args"), "utf8")).toBe(`--session ${path}\n`);
});

test.skipIf(!hasPostgres)("Enter resumes a pulled session, until its file is deleted", async () => {
  const { hub, desk, home, env, add, open } = await startDesk();
  home.program("pi", `echo "$@" > "$HOME/args"`);
  await add(hub.owner, session({ id: "till", cwd: home.project("shop") }).user("Round the tax."));
  const machine = createMachine(hub, desk, home.folder);
  Object.assign(machine.environment, env);
  const { paths } = await machine.pull();
  const picker = await open("pick");
  await picker.until("Round the tax.");
  picker.press("enter");
  expect(await picker.exit).toEqual({ code: 0 });
  expect(readFileSync(join(home.folder, "args"), "utf8")).toBe(`--session ${paths[0]}\n`);

  rmSync(paths[0] as string);
  const again = await open("pick");
  await again.until("Round the tax.");
  again.press("enter");
  await again.until("its file on this machine was deleted");
  again.press("ctrl+c");
  await again.exit;
});
