/** Restoring with the default roots: HOME is set, without --root. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Hono } from "hono";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { SessionChanges } from "../../bin/picker/service/session-changes.ts";
import type { Answers } from "../../bin/web/api/answers.ts";
import { createHosts } from "../../bin/web/hosts/hosts.ts";
import type { ChangeFeed } from "../../bin/web/server/change-feed.ts";
import { toErrorResponse } from "../../bin/web/server/errors.ts";
import { addActionRoutes } from "../../bin/web/server/routes/actions.ts";
import { session } from "../../fixtures/builder.ts";
import { type Index, openIndex, SessionManager } from "../../library/index.ts";
import { temporaryFolder } from "../temporary.ts";
import { pidex } from "./cli.ts";

const NAME = "2026-01-05T09-00-00-000Z_019b8d40-0000-7000-8000-00000000000a.jsonl";

let folder = "";
let sessions = "";

/** Puts a session in the trash, with a note of its original path `path`. @returns its path in the trash */
function trash(path: string): string {
  const [files, info] = ["files", "info"].map((name) => join(folder, ".local", "share", "Trash", name));
  for (const each of [files, info]) mkdirSync(each as string, { recursive: true });
  const trashPath = session({ id: "gone" })
    .user("Where was it?")
    .write(join(files as string, "x.jsonl"));
  const note = `[Trash Info]\nPath=${path}\nDeletionDate=2026-01-05T09:00:00\n`;
  writeFileSync(join(info as string, "x.jsonl.trashinfo"), note);
  return trashPath;
}

/** Output and exit code of each way to restore. */
const WAYS: Record<string, (path: string, index: Index) => Promise<string>> = {
  "pidex restore ID": async () => (await pidex(["restore", "gone"])).err,
  "pidex restore @last": async () => (await pidex(["restore", "@last"])).err,
  picker: (path, index) =>
    Promise.resolve(new SessionChanges(index).restore([path])).then(
      () => "",
      (error: Error) => error.message,
    ),
  page: async (path, index) => {
    const routes = new Hono();
    addActionRoutes(
      routes,
      index,
      { publish() {} } as unknown as ChangeFeed,
      createHosts({ db: undefined, roots: undefined }),
    );
    routes.onError((error, context) => toErrorResponse(context, error));
    const body = JSON.stringify({ session: path });
    const response = await routes.request("/restore", { method: "POST", body });
    return response.ok ? "" : ((await response.json()) as { error: { message: string } }).error.message;
  },
  library: () =>
    SessionManager.listTrashed().then(async ([first]) => {
      if (!first) return "no session in the trash";
      return SessionManager.restore(first.trashPath).then(
        () => "",
        (error: Error) => error.message,
      );
    }),
};

beforeEach(async () => {
  folder = realpathSync(temporaryFolder());
  sessions = join(folder, ".pi", "agent", "sessions");
  mkdirSync(sessions, { recursive: true });
  vi.stubEnv("HOME", folder);
  for (const name of ["XDG_DATA_HOME", "PIDEX_ROOTS", "PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"])
    vi.stubEnv(name, undefined);
  vi.stubEnv("PIDEX_DB", join(folder, "index.db"));
  vi.stubEnv("PATH", "/usr/bin:/bin");
  onTestFinished(() => void vi.unstubAllEnvs());
});

async function opened(): Promise<Index> {
  const index = await openIndex();
  onTestFinished(() => index.close());
  return index;
}

describe.skipIf(process.platform !== "linux").each(Object.entries(WAYS))("%s", (_name, restore) => {
  test("ignores files of the temporary folder outside of subagent runs", async () => {
    const path = join(folder, "nowhere-special", NAME);
    const trashPath = trash(path);
    expect(await restore(path, await opened())).toMatch(/no sessions? in the trash/);
    expect([existsSync(path), existsSync(trashPath)]).toEqual([false, true]);
  });

  test("writes through no link to the temporary folder", async () => {
    const outside = join(folder, "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(sessions, "--p1--"));
    const path = join(sessions, "--p1--", NAME);
    const trashPath = trash(path);
    expect(await restore(path, await opened())).toContain("leads outside the session folders");
    expect([readdirSync(outside), existsSync(trashPath)]).toEqual([[], true]);
  });

  test("restores sessions of a root, and of a subagent run", async () => {
    const run = join(tmpdir(), `pi-subagent-session-pidex-test-${process.pid}`, "run.jsonl");
    onTestFinished(
      () => void import("node:fs").then(({ rmSync }) => rmSync(dirname(run), { recursive: true })),
    );
    for (const path of [join(sessions, "--p2--", NAME), run]) {
      trash(path);
      expect(await restore(path, await opened())).not.toMatch(/trash|outside/);
      expect(existsSync(path)).toBe(true);
    }
  });
});

/** A `trash` command on the PATH that writes a note of the original path, or none. */
function trashCommand(notes: boolean): void {
  const programs = join(folder, "bin");
  mkdirSync(programs);
  const taken = join(folder, ".local", "share", "Trash");
  const note = `printf '[Trash Info]\\nPath=%s\\nDeletionDate=%s\\n' "$1" "$(date +%Y-%m-%dT%H:%M:%S)" > "${taken}/info/$(basename "$1").trashinfo"`;
  const script = `mkdir -p "${taken}/files" "${taken}/info"\n${notes ? note : ":"}\nmv "$1" "${taken}/files/"`;
  writeFileSync(join(programs, "trash"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${programs}:/usr/bin:/bin`);
}

describe.skipIf(process.platform !== "linux").each([
  { trash: "that leaves a note", notes: true },
  { trash: "that leaves none", notes: false },
])("after a trash command $trash, undo is offered: $notes", ({ notes }) => {
  /** An indexed session that does not look active. */
  async function put(): Promise<{ path: string; index: Index }> {
    trashCommand(notes);
    const draft = session({ id: "talk", cwd: "/home/ada/shop" }).user("Hello.").assistant("Yes.");
    const path = draft.write(join(sessions, "--p3--", NAME));
    utimesSync(path, new Date("2026-01-05"), new Date("2026-01-05"));
    const index = await opened();
    await index.sync();
    return { path, index };
  }

  test("on the command line, with the same options", async () => {
    await put();
    const where = ["--root", sessions, "--db", join(folder, "a b.db")];
    const { err } = await pidex(["delete", "talk", "--yes", ...where], { columns: 80 });
    const hint = `To undo: pidex restore talk --root ${sessions} --db '${join(folder, "a b.db")}'\n`;
    expect(err).toBe(notes ? hint : "");
    expect((await pidex(["restore", "talk", ...where])).exit).toBe(notes ? 0 : 3);
  });

  test("in the picker", async () => {
    const { path, index } = await put();
    const answer = await new SessionChanges(index).delete([path]);
    expect(answer).toEqual({ done: "moved to trash", isRestorable: notes });
  });

  test("on the page", async () => {
    const { path, index } = await put();
    const routes = new Hono();
    addActionRoutes(
      routes,
      index,
      { publish() {} } as unknown as ChangeFeed,
      createHosts({ db: undefined, roots: undefined }),
    );
    const body = JSON.stringify({ session: path });
    const { deleted } = (await (
      await routes.request("/trash", { method: "POST", body })
    ).json()) as Answers["trash"];
    expect(deleted).toMatchObject([{ path, isRestorable: notes }]);
  });
});

test.skipIf(process.platform !== "linux")(
  "an older deleted session with the same path is not restored by undo",
  async () => {
    trashCommand(false);
    const path = join(sessions, "--p4--", NAME);
    trash(path);
    const written = session({ id: "talk", cwd: "/home/ada/shop" })
      .user("Hello.")
      .assistant("Yes.")
      .write(path);
    utimesSync(written, new Date("2026-01-05"), new Date("2026-01-05"));
    const { err } = await pidex(["delete", "talk", "--yes"], { columns: 80 });
    expect(err).toBe("");
  },
);
