import { expect, test } from "vitest";
import { nameCommand } from "../../../query/insights/command-name.ts";
import { normalizeError } from "../../../query/insights/normalize-error.ts";
import { isWaiting } from "../../../query/insights/tools.ts";

test.each([
  ["cd app && npm run build 2>&1 | tail -5", "npm run build"],
  ["CI=1 timeout 30 npm test -- --watch", "npm test"],
  ["/usr/bin/git commit -m 'x'", "git commit"],
  ["git -C /tmp status", "git"],
  ["C:\\tools\\npm test", "npm test"],
  ["grep -n foo src | head", "grep"],
  ["# only a comment\nls", "ls"],
  ["cd /tmp", ""],
  ["", ""],
])("the command %j is named %j", (command, name) => {
  expect(nameCommand(command)).toBe(name);
});

test.each([
  ["src/a.ts(12,5): error TS2304: Cannot find name 'x'.", "<path>(<n>): error TS<n>: Cannot find name 'x'."],
  [
    "> build\n\u001b[31mError: Cannot find module '/home/ada/x.js'\u001b[0m",
    "Error: Cannot find module '<path>'",
  ],
  ["done in 3s\nwarning\n", "done in <n>s"],
  ["fetch https://a.b/c?d=1 failed with 0xdeadbeef", "fetch <url> failed with <hex>"],
  ["unknown commit 3f2a9c1d0", "unknown commit <hex>"],
  ["job 0d9c1f1e-1111-4222-8333-abcdefabcdef failed at 10:15:20", "job <id> failed at <n>"],
  ["(no output)\n\nCommand exited with code 1", undefined],
  ["Command aborted", undefined],
  ["\u001b(BError: b\u001b(B\u001b[m", "Error: b"],
  [
    "\u001b]8;;https://x.y/z\u001b\\link\u001b]8;;\u001b\\ one\nError: why\n\u001b]0;title\u0007done",
    "Error: why",
  ],
  ["\u001b]0;open\nError: why\n\u0007", "Error: why"],
  ["\u001bP1$r\u001b\\\u001b[>4;1m\u001b[2 qError: styled", "Error: styled"],
  [`Error: ${"a".repeat(152)} more`, `Error: ${"a".repeat(152)}`],
  ["", undefined],
  [`${"error ".repeat(100)}\nfatal: bad`, "fatal: bad"],
])("the error of %j is %j", (output, error) => {
  expect(normalizeError(output)).toBe(error);
});

test("an error at the end of a long output is found, one in its middle is not", () => {
  const filler = "ok\n".repeat(20_000);
  expect(normalizeError(`${filler}Error: late`)).toBe("Error: late");
  expect(normalizeError(`${filler}Error: middle\n${filler}`)).toBe("ok");
});

test.each([
  ["ask_user", true],
  ["AskUserQuestion", true],
  ["confirm-delete", true],
  ["subagent", true],
  ["Task", true],
  ["HTTPAgent", true],
  ["bash", false],
  ["mask_secrets", false],
  ["multitask", false],
])("whether %s waits for the user or a subagent: %s", (tool, waits) => {
  expect(isWaiting(tool)).toBe(waits);
});
