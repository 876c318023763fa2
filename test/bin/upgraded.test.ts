/** A running program whose files are replaced, as by `npm install -g` or a build. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { BUILT_PIDEX } from "../built.ts";
import { openTerminal } from "../terminal.ts";
import {
  buildIndex,
  getCount,
  isSettled,
  TestHome,
  writeSampleSessions,
} from "./picker/terminal/open-picker.ts";
import { signIn } from "./web/serve.ts";

const BUILT = dirname(dirname(BUILT_PIDEX));
const NODE_MODULES = join(import.meta.dirname, "..", "..", "node_modules");

/** A copy of the build, and a function that replaces it by the same build or by one with other chunk names. */
async function installed() {
  const home = new TestHome();
  writeSampleSessions(home);
  await buildIndex(home);
  const folder = join(home.folder, "lib", "pidex");
  mkdirSync(folder, { recursive: true });
  symlinkSync(NODE_MODULES, join(folder, "node_modules"));
  const dist = join(folder, "dist");
  const put = () => {
    for (const part of ["bin", "pi"]) cpSync(join(BUILT, part), join(dist, part), { recursive: true });
  };
  put();
  return {
    home,
    program: join(dist, "bin", "pidex.js"),
    upgrade(how: "same" | "renamed" | "gone") {
      renameSync(dist, `${dist}-old`);
      rmSync(`${dist}-old`, { recursive: true });
      if (how === "gone") return;
      put();
      if (how === "same") return;
      const bin = join(dist, "bin");
      for (const name of readdirSync(bin)) {
        if (name.endsWith(".js") && !/^(pidex|start|first)\.js$/.test(name))
          renameSync(join(bin, name), join(bin, `new-${name}`));
      }
    },
  };
}

const UPGRADED = "pidex was upgraded while this process was running";
const WAYS = ["same", "renamed", "gone"] as const;

function running(program: string, args: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** The first line of a stream that matches. */
function lineOf(stream: NonNullable<ChildProcess["stdout"]>, fits: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface(stream);
    lines.on("line", (line) => fits.test(line) && resolve(line));
    lines.on("close", () => reject(new Error(`it ended without ${fits}`)));
  });
}

test.each(WAYS)(
  "pidex serve reports that it was upgraded (%s), and loaded code keeps working",
  async (how) => {
    const { home, program, upgrade } = await installed();
    const child = running(program, ["serve", "--no-open"], home.env);
    const output = await Promise.race([lineOf(child.stdout, /http:/), lineOf(child.stderr, /http:/)]);
    const link = /http:\S+/.exec(output)?.[0] as string;
    const { origin } = new URL(link);
    const { key } = (await (await signIn(link)).json()) as { key: string };
    const headers = { authorization: `Bearer ${key}` };
    const get = (path: string) => fetch(new URL(path, origin), { headers });
    expect((await get("/api/list")).status).toBe(200);
    upgrade(how);
    // The first loads a file, the others start threads.
    for (const path of [
      "/api/usage?by=model",
      "/api/facets?query=kettles",
      "/api/scan?regex=kettles",
      "/api/export?search=kettles&format=md",
    ]) {
      const response = await get(path);
      const answer = response.status === 200 ? response.text() : response.json();
      expect([path, response.status, await answer]).toMatchObject([
        path,
        503,
        { error: { code: "UPGRADED", message: UPGRADED } },
      ]);
    }
    expect((await get("/api/list")).status).toBe(200);
  },
);

test.each(WAYS)("the picker reports that it was upgraded (%s), and keeps running", async (how) => {
  const { home, program, upgrade } = await installed();
  const terminal = await openTerminal({
    argv: [process.execPath, program],
    env: home.env,
    cols: 100,
    cwd: home.folder,
  });
  await terminal.until("Enter resume");
  await terminal.until(isSettled);
  upgrade(how);
  terminal.write("re:kettles");
  // The message is wrapped beside the preview.
  const isShown = (screen: string[]) =>
    screen
      .join(" ")
      .replace(/[│\s]+/g, " ")
      .includes(UPGRADED);
  await terminal.until(isShown, UPGRADED);
  terminal.press("ctrl+u");
  await terminal.until((screen) => getCount(screen) === "1/4");
});

test.each(WAYS)("pidex mcp reports to the agent that it was upgraded (%s)", async (how) => {
  const { home, program, upgrade } = await installed();
  const child = running(program, ["mcp"], home.env);
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answer = (id: number) => lineOf(child.stdout, new RegExp(`"id":${id}\\b`));
  const began = answer(1);
  const clientInfo = { name: "test", version: "1" };
  say({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  await began;
  say({ method: "notifications/initialized" });
  const listed = answer(2);
  say({ id: 2, method: "tools/list" });
  const { result } = JSON.parse(await listed);
  upgrade(how);
  const name = result.tools
    .map((tool: { name: string }) => tool.name)
    .find((each: string) => /usage/.test(each));
  const used = answer(3);
  say({ id: 3, method: "tools/call", params: { name, arguments: {} } });
  expect(await used).toContain(UPGRADED);
});
