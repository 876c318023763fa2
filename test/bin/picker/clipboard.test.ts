import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { copyToClipboard } from "../../../bin/picker/clipboard.ts";
import { temporaryFolder } from "../../temporary.ts";
import { foreignSequences, openTerminal } from "../../terminal.ts";

const COMMAND = "cd '/home/ada/Größe 中' && pi --session 019bb17b";
const SENT = `\x1b]52;c;${Buffer.from(COMMAND).toString("base64")}\x07`;

/** A folder with programs that record their input, or fail. */
function stubs(programs: Record<string, "takes" | "fails" | "ends without reading">) {
  const folder = temporaryFolder();
  for (const [name, does] of Object.entries(programs)) {
    const file = join(folder, name);
    const keep = `printf '%s\\n' "$@" > '${file}.args'; /bin/cat > '${file}.input'`;
    const script = { takes: keep, fails: `${keep}; exit 1`, "ends without reading": "exit 3" }[does];
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }
  const given = (name: string) => {
    const file = join(folder, name);
    if (!existsSync(`${file}.input`)) return undefined;
    const args = readFileSync(`${file}.args`, "utf8").split("\n").filter(Boolean);
    return { args, input: readFileSync(`${file}.input`) };
  };
  return { PATH: folder, given };
}

async function copied(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = "linux", text = COMMAND) {
  const written: string[] = [];
  const by = await copyToClipboard(text, { env, write: (each) => void written.push(each), platform });
  return { by, written: written.join("") };
}

describe("with a program", () => {
  test.each<[string, string[], NodeJS.ProcessEnv, NodeJS.Platform]>([
    ["pbcopy", [], {}, "darwin"],
    ["wl-copy", [], { WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":0" }, "linux"],
    ["xclip", ["-selection", "clipboard"], { DISPLAY: ":0" }, "linux"],
    ["xsel", ["--clipboard", "--input"], { DISPLAY: ":0" }, "linux"],
    ["termux-clipboard-set", [], { TERMUX_VERSION: "0.118" }, "android"],
  ])("%s with %j, when there is one", async (name, args, env, platform) => {
    const { PATH, given } = stubs({ [name]: "takes" });
    expect(await copied({ ...env, PATH }, platform)).toEqual({ by: "program", written: "" });
    expect(given(name)).toEqual({ args, input: Buffer.from(COMMAND) });
  });

  test("clip.exe gets non-ASCII text as UTF-16", async () => {
    const { PATH, given } = stubs({ "clip.exe": "takes" });
    const env = { PATH, WSL_DISTRO_NAME: "Debian" };
    expect((await copied(env)).by).toBe("program");
    expect(given("clip.exe")?.input.toString("utf16le")).toBe(COMMAND);
    await copied(env, "linux", "pi --session 1");
    expect(given("clip.exe")?.input.toString()).toBe("pi --session 1");
  });

  test("if one fails or does not read its input, the next is tried", async () => {
    const { PATH, given } = stubs({ "wl-copy": "fails", xclip: "ends without reading", xsel: "takes" });
    const env = { PATH, WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":0" };
    expect(await copied(env)).toEqual({ by: "program", written: "" });
    expect(given("wl-copy")).toBeDefined();
    expect(given("xsel")?.input.toString()).toBe(COMMAND);
    const large = "x".repeat(1_000_000); // larger than a pipe's buffer
    expect((await copied({ ...env, WAYLAND_DISPLAY: "" }, "linux", large)).by).toBe("program");
    expect(given("xsel")?.input.length).toBe(large.length);
  });
});

describe("through the terminal", () => {
  test("if there is no program, or all fail", async () => {
    const { PATH } = stubs({ xclip: "fails" });
    expect(await copied({ PATH, DISPLAY: ":0" })).toEqual({ by: "terminal", written: SENT });
    expect(await copied({ PATH: temporaryFolder() }, "darwin")).toEqual({ by: "terminal", written: SENT });
  });

  test("over ssh, even if there are programs", async () => {
    const { PATH, given } = stubs({ xclip: "takes", pbcopy: "takes" });
    const env = { PATH, DISPLAY: ":0" };
    for (const ssh of [{ SSH_CONNECTION: "::1 1 ::1 22" }, { SSH_TTY: "/dev/pts/1" }]) {
      expect(await copied({ ...env, ...ssh }, "darwin")).toEqual({ by: "terminal", written: SENT });
    }
    expect(given("xclip") ?? given("pbcopy")).toBeUndefined();
  });

  test("inside tmux through tmux, with OSC 52 if that fails", async () => {
    const { PATH, given } = stubs({ tmux: "takes" });
    const env = { TMUX: "/tmp/tmux-1/default,1,0", SSH_TTY: "/dev/pts/1" };
    expect(await copied({ ...env, PATH })).toEqual({ by: "terminal", written: "" });
    expect(given("tmux")).toEqual({ args: ["load-buffer", "-w", "-"], input: Buffer.from(COMMAND) });
    const old = stubs({ tmux: "fails" }); // it has no -w
    expect(await copied({ ...env, PATH: old.PATH })).toEqual({ by: "terminal", written: SENT });
  });

  const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

  test.runIf(hasTmux)("a real tmux with default settings passes it on to its terminal", async () => {
    const folder = temporaryFolder();
    const tmux = ["tmux", "-S", join(folder, "socket"), "-f", "/dev/null"] as const;
    onTestFinished(() => void spawnSync(tmux[0], [...tmux.slice(1), "kill-server"]));
    const script = `import { copyToClipboard } from ${JSON.stringify(join(import.meta.dirname, "../../../bin/picker/clipboard.ts"))};
      const by = await copyToClipboard(${JSON.stringify(COMMAND)}, { env: process.env, write() { console.log("nothing"); }, platform: "linux" });
      console.log("by the", by); setInterval(() => {}, 1000);`;
    writeFileSync(join(folder, "copy.mjs"), script);
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      SHELL: "/bin/sh",
    };
    const argv = [...tmux, "new-session", process.execPath, join(folder, "copy.mjs")] as [
      string,
      ...string[],
    ];
    const terminal = await openTerminal({ argv, cwd: folder, env });
    await terminal.until("by the terminal");
    const sent = `;${Buffer.from(COMMAND).toString("base64")}`;
    await terminal.until(() => terminal.bytes().includes(sent), "OSC 52");
    expect(foreignSequences(terminal.bytes()).some((each) => each.startsWith("\x1b]52;"))).toBe(true);
  });
});
