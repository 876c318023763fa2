import { describe, expect, test } from "vitest";
import { type Fields, toolCall } from "../../fixtures/blocks.ts";
import { extract } from "../../indexer/extract.ts";
import { parseEntry } from "../../src/session/parse.ts";

const at = { byteOffset: 0, line: 2 };
const read = (object: Fields, cwd = "/w") => extract(parseEntry(object, at).value, at, cwd);
const message = (fields: Fields): Fields => ({ type: "message", id: "a", message: fields });
/** The touches of an entry, as `ordinal action path`. */
const touched = (object: Fields, cwd?: string): string[] =>
  read(object, cwd).touches.map(({ ordinal, action, path }) => `${ordinal} ${action} ${path}`);
const calls = (...content: Fields[]): Fields => message({ role: "assistant", content });
const call = (name: string, args: Fields): Fields => toolCall("c", name, args);

describe("a tool call touches the file it names", () => {
  test.each<[string, Fields, string | null]>([
    ["read", { path: "a.ts", offset: 5 }, "read"],
    ["write", { path: "a.ts", content: "x" }, "write"],
    ["edit", { path: "a.ts", oldText: "x", newText: "y" }, "edit"],
    ["edit", { file_path: "a.ts" }, "edit"],
    ["ls", { path: "a.ts" }, "search"],
    ["find", { path: "a.ts", pattern: "*" }, "search"],
    ["grep", { path: "a.ts", pattern: "b.ts" }, "search"],
    ["Read", { file_path: "a.ts" }, "read"],
    ["MultiEdit", { file_path: "a.ts", edits: [{ oldText: "b.ts" }] }, "edit"],
    ["multi_edit", { multi: [{ path: "a.ts" }] }, "edit"],
    ["search_replace", { filePath: "a.ts" }, "edit"],
    ["mcp__fs__read_multiple_files", { paths: ["a.ts"] }, "read"],
    ["delete_file", { path: "a.ts" }, "delete"],
    ["create_file", { path: "a.ts" }, "write"],
    ["format", { path: "a.ts" }, "use"],
    ["read", { path: "@a.ts" }, "read"],
    ["format", { path: "everything" }, null],
    ["github", { path: "https://shop.example/a.ts" }, null],
    ["read", { path: "" }, null],
    ["read", { path: 5 }, null],
    ["read", { paths: [5, null, {}] }, null],
    ["read", {}, null],
    ["bash", { path: "a.ts" }, null],
    ["bash", { command: 5 }, null],
    ["bash", { command: "cat a.ts" }, "read"],
  ])("%s %j: %s", (name, args, action) => {
    expect(touched(calls(call(name, args)))).toEqual(action ? [`0 ${action} /w/a.ts`] : []);
  });

  test.each<[string, Fields, string[]]>([
    ["edit", { path: "a.ts", edits: [{ op: "update", diff: "@@" }] }, ["edit a.ts"]],
    ["edit", { path: "a.ts", edits: [{ op: "create", diff: "x" }] }, ["write a.ts"]],
    ["edit", { path: "a.ts", edits: [{ op: "delete" }] }, ["delete a.ts"]],
    ["edit", { path: "a.ts", edits: [{ rename: "b.ts" }, 5, null] }, ["delete a.ts", "write b.ts"]],
    ["edit", { path: "a.ts", edits: [{ move: "b.ts" }] }, ["delete a.ts", "write b.ts"]],
    ["edit", { input: '<SM:EDIT path="a.ts" all>\n[b.ts#0A1B]\n*** Add File: c.ts' }, ["edit a.ts"]],
    [
      "edit",
      { input: "*** SM:EDIT a b.ts\n*** SM:FIND\nx\n*** SM:EDIT 'c.ts'" },
      ["edit a b.ts", "edit c.ts"],
    ],
    ["edit", { input: "[a.ts#0A1B]\nREM\n[b.ts#0A1B]\n+REM\n+MV x.ts" }, ["delete a.ts", "edit b.ts"]],
    ["edit", { input: "[a.ts#0A1B]\nPUT 1:\n+x\nMV lib/a.ts" }, ["delete a.ts", "write lib/a.ts"]],
    [
      "apply_patch",
      { patch: "--- a/a.ts\t2026\n+++ /dev/null\n--- /dev/null\r\n+++ b/b.ts\r\n" },
      ["delete a.ts", "write b.ts"],
    ],
    ["apply_patch", { patch: "rename from a.ts\nrename to b.ts\n" }, ["delete a.ts", "write b.ts"]],
    ["ast_edit", { ops: [{ pat: "a", out: "b" }], paths: ["a.ts", "src/**/*.ts"] }, ["edit a.ts"]],
    ["ast_grep", { pat: "a", path: "src/**/*.ts" }, ["search src"]],
    ["glob", { path: "**/*.ts" }, []],
    ["lsp", { action: "rename", file: "a.ts", new_name: "x" }, ["edit a.ts"]],
    ["lsp", { action: "rename", file: "a.ts", new_name: "x", apply: false }, ["read a.ts"]],
    ["lsp", { action: "rename_file", file: "a.ts", new_name: "b.ts" }, ["delete a.ts", "write b.ts"]],
    ["lsp", { action: "code_actions", file: "a.ts" }, ["read a.ts"]],
    ["lsp", { action: "code_actions", file: "a.ts", apply: true, query: "0" }, ["edit a.ts"]],
    ["lsp", { action: "diagnostics", file: "*" }, []],
    ["lsp", { action: "symbols" }, []],
    ["read", { path: "a.zip:src/b.ts:1-5" }, ["read a.zip"]],
    ["read", { path: "lib/a.tar.gz!/b.ts" }, ["read lib/a.tar.gz"]],
    ["read", { path: "till.db:sales:5?where=a" }, ["read till.db"]],
    ["read", { path: "a.ts:-60" }, ["read a.ts"]],
    ["read", { path: "nb/a.ipynb:3" }, ["read nb/a.ipynb"]],
    [
      "eval",
      { language: "js", code: "write('a.ts', await read('b.ts')); x.read('c.ts')" },
      ["write a.ts", "read b.ts"],
    ],
    [
      "eval",
      { language: "py", code: 'write("a.ts", "x"); read("b.ts", limit=3)' },
      ["write a.ts", "read b.ts"],
    ],
    ["eval", { language: "js", code: "%load tools/a.js" }, ["read tools/a.js"]],
    ["eval", { code: "\n %load \t'my tools/a.py' \n" }, ["read my tools/a.py"]],
    ["eval", { code: "%load tools/a.py\nopen('b.ts')" }, ["read b.ts"]],
    [
      "eval",
      { cells: [{ language: "js", code: "Bun.write(`a.ts`, await Bun.file('b.ts').text())" }] },
      ["write a.ts", "read b.ts"],
    ],
    [
      "eval",
      { language: "js", code: "const p = 'a.ts';\nfs.renameSync(p, 'b.ts'); fs.rmSync(q)" },
      ["delete a.ts", "write b.ts"],
    ],
    ["eval", { language: "ruby", code: "read('a.ts')" }, []],
    ["ipython", { code: "read('a.ts'); p = 'b.ts'; p = f(p); open(p)" }, []],
    ["NotebookEdit", { notebook_path: "a.ipynb" }, ["edit a.ipynb"]],
    ["str_replace_based_edit_tool", { command: "insert", path: "a.ts" }, ["edit a.ts"]],
    ["rename_symbol", { relative_path: "a.ts" }, ["edit a.ts"]],
    ["moveFile", { old_path: "a.ts", new_path: "lib/a.ts" }, ["delete a.ts", "write lib/a.ts"]],
    ["jira_move_issue", { source: "TODO", destination: "DONE" }, []],
  ])("%s %j: %j", (name, args, expected) => {
    expect(touched(calls(call(name, args)))).toEqual(
      expected.map((each) => `0 ${each.replace(" ", " /w/")}`),
    );
  });

  test("by its position among the calls, each file once", () => {
    const entry = calls(
      { type: "text", text: "I look." },
      call("bash", { command: "cat a.ts a.ts; cat b.ts > a.ts" }),
      call("think", {}),
      call("read", { path: "a.ts" }),
    );
    expect(touched(entry)).toEqual(["0 read /w/a.ts", "0 write /w/a.ts", "0 read /w/b.ts", "2 read /w/a.ts"]);
    expect(read(entry).toolCalls).toHaveLength(3);
  });

  test.each<[string, Fields, string[]]>([
    [
      "exec",
      { command: "cat in.txt > out.txt", workdir: "/srv/x" },
      ["write /srv/x/out.txt", "read /srv/x/in.txt"],
    ],
    ["exec", { command: "rm old/ex.txt" }, ["delete /w/old/ex.txt"]],
    [
      "bash",
      { command: "cat src/a.ts > b.txt", cwd: "/other" },
      ["write /other/b.txt", "read /other/src/a.ts"],
    ],
    ["bash", { command: "cat a.ts", cwd: "sub/" }, ["read /w/sub/a.ts"]],
    ["bash", { command: "cat a.ts", cwd: "" }, ["read /w/a.ts"]],
    ["bash", { command: "cat a.ts", cwd: 5 }, ["read /w/a.ts"]],
    ["bash", { command: "cat a.ts /b.ts", cwd: "~/p" }, ["read ~/p/a.ts", "read /b.ts"]],
    ["powershell", { command: "Get-Content a.ts", workdir: "/ps" }, ["read /ps/a.ts"]],
    ["powershell", { command: "Get-Content a.ts", cwd: "C:\\ps" }, ["read C:\\ps\\a.ts"]],
  ])("of %s %j, in the folder that it runs in", (name, args, expected) => {
    expect(touched(calls(call(name, args)))).toEqual(expected.map((each) => `0 ${each}`));
  });

  test("no file by code that only looks like %load", () => {
    for (const end of ['"x', "x\nx", ""]) {
      expect(touched(calls(call("eval", { code: `%load${" ".repeat(8_000)}${end}` })))).toEqual([]);
    }
  });

  test("at most a thousand files", () => {
    const paths = Array.from({ length: 1_500 }, (_, n) => `${n}.ts`);
    expect(touched(calls(call("read", { paths })))).toHaveLength(1_000);
  });

  test("relative to the session's working directory", () => {
    const entry = calls(call("read", { path: "src/a.ts" }));
    expect(touched(entry, "C:\\till")).toEqual(["0 read C:\\till\\src\\a.ts"]);
    expect(touched(entry, "")).toEqual(["0 read src/a.ts"]);
  });
});

describe("an entry without calls touches", () => {
  test("the files of the user's command", () => {
    expect(touched(message({ role: "bashExecution", command: "cd src && rm a.ts" }))).toEqual([
      "-1 delete /w/src/a.ts",
    ]);
  });

  test.each(["compaction", "branch_summary"])("the files that a %s lists", (type) => {
    const details = { readFiles: ["a.ts", 5, "/x/b.ts"], modifiedFiles: ["a.ts"] };
    expect(touched({ type, id: "a", details })).toEqual([
      "-1 read /w/a.ts",
      "-1 read /x/b.ts",
      "-1 edit /w/a.ts",
    ]);
    expect(touched({ type, id: "a", details: { readFiles: "a.ts", modifiedFiles: null } })).toEqual([]);
    expect(touched({ type, id: "a", details: ["a.ts"] })).toEqual([]);
  });

  test("the files that its subagents touched", () => {
    const messages = [
      calls(call("read", { path: "a.ts" }), call("bash", { command: "cat b.ts > c.ts" })).message,
      null,
      { role: "assistant", content: "cat d.ts" },
      {
        role: "assistant",
        content: [null, { type: "toolCall" }, { type: "toolCall", arguments: { path: "e.ts" } }],
      },
      { role: "user", content: [call("read", { path: "f.ts" })] },
    ];
    const result = (results: unknown) => message({ role: "toolResult", details: { results } });
    expect(
      touched(
        result([
          { agent: "scout", messages },
          { agent: "worker", messages: "none" },
        ]),
      ).sort(),
    ).toEqual(["-1 read /w/a.ts", "-1 read /w/b.ts", "-1 use /w/e.ts", "-1 write /w/c.ts"]);
    expect(touched(result([{ messages }]))).toEqual([]); // an unknown call
  });

  test.each<[string, Fields]>([
    ["a result", message({ role: "toolResult", toolName: "read", details: { path: "a.ts" } })],
    ["a user's message", message({ role: "user", content: "cat src/a.ts" })],
    ["an extension's state", { type: "custom", data: { path: "a.ts" }, details: { readFiles: ["a.ts"] } }],
    ["a command without text", message({ role: "bashExecution" })],
  ])("nothing as %s", (_, entry) => {
    expect(touched(entry)).toEqual([]);
  });
});
