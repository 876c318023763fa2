import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { TOOL_PARAMETERS } from "../../../bin/pi/tool-parameters.ts";
import { session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { BUILT_EXTENSION } from "../../built.ts";
import { hasPeers } from "../../peer/peers.ts";
import { WorkingRepository } from "../../query/git/working-repository.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { openPi } from "./real-pi.ts";

let folder = "";
let cwd = "";
let lamps = "";

/** A past session, and an index that is not created yet. */
beforeEach((context) => {
  folder = temporaryFolder(context);
  cwd = join(folder, "lamps");
  lamps = join(folder, "sessions", "lamps.jsonl");
  session({ cwd })
    .user("Why is the lighthouse dark?")
    .assistant("The quartz fuse had blown; I replaced it.", { tokens: { input: 1000, output: 500 } })
    .write(lamps);
  vi.stubEnv("PIDEX_DB", join(folder, "index.db"));
  vi.stubEnv("PIDEX_ROOTS", join(folder, "sessions"));
  context.onTestFinished(() => void vi.unstubAllEnvs());
});

test("the extension is one file that imports only modules of every runtime", () => {
  const code = readFileSync(BUILT_EXTENSION, "utf8");
  expect(code).not.toContain("Zod"); // which describes the parameters
  const imports = code.matchAll(/(?:^(?:import|export)\b[^"\n]*|\b(?:import|require)\()"([^"]+)"/gm);
  expect(new Set([...imports].map(([, name]) => name))).toEqual(
    new Set(["node:child_process", "node:fs", "node:url", "node:util"]),
  );
});

describe.skipIf(!hasPeers)("in pi 0.73.1", () => {
  test("commands and tools are registered, with the parameters of the requests", async () => {
    const { loaded } = await openPi({ cwd });
    expect(loaded.errors).toEqual([]);
    const [extension] = loaded.extensions;
    expect([...(extension?.commands.keys() ?? [])]).toEqual([
      "recall",
      "handoff",
      "sessions",
      "spend",
      "blame",
    ]);
    const parametersOf = (name: string) => extension?.tools.get(name)?.definition.parameters;
    expect(parametersOf("session_search")).toEqual(TOOL_PARAMETERS.search);
    expect(parametersOf("session_read")).toEqual(TOOL_PARAMETERS.read);
    expect([...(extension?.tools.keys() ?? [])]).toEqual([
      "session_search",
      "session_read",
      "session_handoff",
      "session_insights",
    ]);
  });

  test("a model searches and reads a hit, and both results are in the transcript", async () => {
    const pi = await openPi({
      cwd,
      says: ({ fauxAssistantMessage, fauxToolCall }) => [
        fauxAssistantMessage(fauxToolCall("session_search", { query: "quartz fuse", limit: "3" }), {
          stopReason: "toolUse",
        }),
        fauxAssistantMessage(fauxToolCall("session_read", { session: `${lamps}:3`, before: 1 }), {
          stopReason: "toolUse",
        }),
        fauxAssistantMessage("It was the fuse."),
      ],
    });
    await pi.session.prompt("Why was it dark back then?");
    const entries = readFileSync(pi.session.sessionFile as string, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).message);
    const results = entries.filter((message) => message?.role === "toolResult");
    expect(results.map(({ toolName, isError }) => [toolName, isError])).toEqual([
      ["session_search", false],
      ["session_read", false],
    ]);
    expect(results[0].content[0].text).toContain(`${lamps}:3#`);
    expect(results[0].content[0].text).toContain("> The quartz fuse had blown");
    expect(results[0].details.sessions[0].session.path).toBe(lamps);
    expect(results[1].content[0].text).toContain("> Why is the lighthouse dark?");
    expect(pi.errors).toEqual([]);
  });

  test("/recall quotes a hit in the editor, with its citation", async () => {
    const pi = await openPi({
      cwd,
      choose: (texts) => texts.find((text) => /quartz/.test(text) || text.startsWith("Quote")),
    });
    await pi.session.prompt("/recall quartz");
    expect(pi.editor()).toMatch(/^> The quartz fuse had blown; I replaced it\.\n\(.*lamps\.jsonl:3#\w+\)\n$/);
    expect([pi.notices, pi.errors]).toEqual([["info: Quoted in the editor."], []]);
  });

  test("/recall adds a hit to the context, with surrounding entries", async () => {
    const pi = await openPi({
      cwd,
      choose: (texts) => texts.find((text) => /quartz/.test(text) || text.startsWith("Add")),
    });
    await pi.session.prompt("/recall quartz");
    const [message] = pi.session.messages;
    expect(message).toMatchObject({ role: "custom", customType: "pidex-recall", display: true });
    expect(message?.content).toContain("> Why is the lighthouse dark?");
  });

  test("/handoff puts the brief of the selected session into the editor", async () => {
    const pi = await openPi({ cwd, choose: (texts) => texts[0] });
    await pi.session.prompt("/handoff");
    const [heading, , path] = pi.editor().split("\n");
    expect([heading, path]).toEqual(["# Handoff", `Session ${lamps}`]);
    expect(pi.editor()).toMatch(/^- Why is the lighthouse dark\? :2~[a-z]{5}$/m);
    expect(pi.editor()).toMatch(/\n\nContinue this work: $/);
    expect([pi.notices, pi.errors]).toEqual([["info: The brief is in the editor: say what to do next."], []]);
  });

  test("/sessions switches to the selected session", async () => {
    const pi = await openPi({ cwd, choose: (texts) => texts[0] });
    await pi.session.prompt("/sessions");
    expect(pi.switched).toEqual([lamps]);
    await pi.session.prompt("/sessions nothing-has-this-word");
    expect(pi.notices).toEqual([expect.stringContaining("No sessions match")]);
  });

  test("/spend shows the cost of this session, its project and this month", async () => {
    const pi = await openPi({ cwd });
    await pi.session.prompt("/spend");
    expect(pi.notices.join().split("\n")).toEqual([
      "info: This session: not indexed yet",
      `This project: $0.0105, 1,500 tokens, 1 model response (${cwd})`,
      expect.stringMatching(/^This month: /),
    ]);
  });

  test("/spend shows estimates apart from the cost", async () => {
    session({ cwd })
      .user("And now?")
      .assistant("Dark.", {
        ...{ provider: "anthropic", model: "claude-opus-5" },
        usage: { input: 1_000_000, output: 0 },
      })
      .write(join(folder, "sessions", "dark.jsonl"));
    const pi = await openPi({ cwd });
    await pi.session.prompt("/spend");
    expect(pi.notices.join()).toMatch(
      /^This project: \$0\.0105, about \$5\.00 estimated besides, 1\.00M tokens, 2 model responses/m,
    );
  });

  test("with pi_status, the footer has what pidex status prints after each turn", async () => {
    const timestamp = new Date().toISOString();
    session({ id: "now", cwd, timestamp })
      .user("Which lamp?", { timestamp })
      .assistant("The red one.", { timestamp, usage: { input: 1, output: 1, cost: { total: 4 } } })
      .write(join(folder, "sessions", "now.jsonl"));
    vi.stubEnv("PIDEX_PI_STATUS", "1");
    vi.stubEnv("PIDEX_BUDGETS", "10/day");
    const pi = await openPi({ cwd, says: ({ fauxAssistantMessage }) => [fauxAssistantMessage("Red.")] });
    await pi.session.prompt("Which one was it?");
    await waitUntil("the footer has the cost", () =>
      pi.statuses.includes("pidex-status: $4.00 today · $4.00/10 day"),
    );
    expect([pi.notices, pi.errors]).toEqual([[], []]);
  });

  test("/blame shows the session and prompt behind lines", async () => {
    const repository = new WorkingRepository();
    repository.write("lamp.js", ["export const watts = 40;"]);
    repository.commit();
    const by = session({ id: "lamp", cwd: repository.path, timestamp: repository.tick() }).user("Brighter!");
    const edit = { path: "lamp.js", oldText: "= 40;", newText: "= 60;" };
    by.tool("edit", edit, "Done.", { timestamp: repository.tick() }).write(
      join(folder, "sessions", "l.jsonl"),
    );
    repository.write("lamp.js", ["export const watts = 60;"]);
    const pi = await openPi({ cwd: repository.path });
    await pi.session.prompt("/blame lamp.js:1");
    await pi.session.prompt("/blame");
    await pi.session.prompt("/blame missing.js");
    expect(pi.notices).toEqual([
      expect.stringMatching(/^info: 1 {2}"Brighter!", .+, (certain|likely): Brighter!$/),
      expect.stringContaining("no file"),
      expect.stringContaining("missing.js"),
    ]);
  });

  test("in print mode, hits are a message and on stderr", async () => {
    const consoleError = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      const pi = await openPi({ cwd, hasScreen: false });
      await pi.session.prompt("/recall quartz");
      expect(pi.session.messages[0]?.content).toContain("> The quartz fuse had blown");
      expect(consoleError.mock.calls.join()).toContain("> The quartz fuse had blown");
    } finally {
      consoleError.mockRestore();
    }
  });

  test("after a turn the index has its messages, and invalid parameters are an error for the model", async () => {
    const pi = await openPi({
      cwd,
      says: ({ fauxAssistantMessage, fauxToolCall }) => [
        fauxAssistantMessage(fauxToolCall("session_search", { query: "(" }), { stopReason: "toolUse" }),
        fauxAssistantMessage("The obelisk leans."),
      ],
    });
    const roots = dirname(pi.session.sessionFile as string);
    vi.stubEnv("PIDEX_ROOTS", roots); // before the process starts
    await pi.session.prompt("What leans?");
    const result = pi.session.messages.find(({ role }) => role === "toolResult");
    expect(JSON.stringify(result?.content)).toContain("contains no letters or digits");
    const index = await openIndex({ db: process.env.PIDEX_DB as string, roots: [roots] });
    onTestFinished(() => index.close());
    await waitUntil(
      "the turn is indexed",
      async () => (await index.search("obelisk", { sync: false })).hitCount === 1,
    );
    expect([pi.notices, pi.errors, pi.statuses]).toEqual([[], [], []]);
  });

  test("a failed open is a notice and a failed tool result, and pi keeps running", async () => {
    mkdirSync(process.env.PIDEX_DB as string);
    const pi = await openPi({
      cwd,
      says: ({ fauxAssistantMessage, fauxToolCall }) => [
        fauxAssistantMessage(fauxToolCall("session_search", { query: "quartz" }), { stopReason: "toolUse" }),
        fauxAssistantMessage("I cannot know."),
      ],
    });
    await pi.session.prompt("/spend");
    const [error] = pi.notices.filter((notice) => notice.startsWith("error"));
    expect(error).toMatch(/^error: \/spend: .+\. .+\.$/);
    await pi.session.prompt("Why was it dark?");
    const result = pi.session.messages.find(({ role }) => role === "toolResult");
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result?.content)).toContain(error?.slice("error: /spend: ".length, 40));
    expect(JSON.stringify(pi.session.messages.at(-1))).toContain("I cannot know.");
    // Nothing else is added.
    await waitUntil("the error is reported", () =>
      pi.notices.some((notice) => notice.startsWith("warning: pidex: ")),
    );
    expect(pi.errors).toEqual([]);
  });
});
