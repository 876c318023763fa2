import { describe, expect, test } from "vitest";
import { extractIpythonTouches } from "../../indexer/ipython-touches.ts";
import { extractPatchTouches } from "../../indexer/patch-touches.ts";

const CWD = "/home/ada/maths";
const python = (code: string) =>
  extractIpythonTouches(code, CWD).map(({ path, action }) => `${action} ${path.replace(`${CWD}/`, "")}`);
const patch = (text: string) =>
  [...extractPatchTouches(text, CWD)].map(({ path, action }) => `${action} ${path.replace(`${CWD}/`, "")}`);

describe("Python", () => {
  test.each([
    [`open("a.txt").read()`, ["read a.txt"]],
    [`with open('out/b.csv', 'w') as f: f.write("x")`, ["write out/b.csv"]],
    [`open("log.txt", mode="a")`, ["edit log.txt"]],
    [`open("a.bin", "rb+")`, ["edit a.bin"]],
    [`open(r"a.txt", encoding="utf8")`, ["read a.txt"]],
    [`Path("x/y.md").write_text("z"); Path('old.md').unlink()`, ["write x/y.md", "delete old.md"]],
    [`pathlib.Path("/etc/hosts").read_text()`, ["read /etc/hosts"]],
    ["%%bash\ncat a.txt > b.txt\n", ["read a.txt", "write b.txt"]],
    ["files = !cat notes.md\nx != y.z", ["read notes.md"]],
  ])("%s", (code, files) => {
    expect(python(code).sort()).toEqual([...files].sort());
  });

  test.each([
    ["a name that is worked out", `open(folder + "/a.txt")`],
    ["a formatted string", `open(f"{name}.txt")`],
    ["an argument that is not a path", `open("w")`],
    ["a concatenated string", `open("a.txt" + suffix)`],
    ["a URL", `Path("https://example.com/a.txt").read_text()`],
  ])("touches no file by %s", (_, code) => {
    expect(python(code)).toEqual([]);
  });
});

test("tens of thousands of empty lines are read quickly", () => {
  expect(python("\n".repeat(60_000))).toEqual([]);
});

test("a name has the last value assigned before its use", () => {
  const code = 'p = "a.txt"\nopen(p)\np = 1\nopen(p)\nq = "b.txt"\nopen(p)\np = "c.txt"\nopen(p)\nopen(q)';
  expect(python(code)).toEqual(["read a.txt", "read c.txt", "read b.txt"]);
  expect(python('open(p)\np = "a.txt"')).toEqual([]);
  expect(python('__proto__ = "a.txt"\nopen(__proto__)\nopen(constructor)')).toEqual(["read a.txt"]);
});

describe("a patch in one text", () => {
  test("may contain verbatim lines of a file in named sections", () => {
    expect(
      patch("*** SM:EDIT src/a.ts\nx\n*** SM:EDIT  my notes.md all\n*** SM:EDIT all\n*** SM:EDIT"),
    ).toEqual(["edit src/a.ts", "edit my notes.md", "edit all"]);
  });

  test.each([
    ["spaces", `*** SM:EDIT a${" ".repeat(300_000)}b`],
    ["a line separator", `*** SM:EDIT ${" ".repeat(300_000)}a\u2028b`],
  ])("touches no file in a line of 300 KB of %s", (_, text) => {
    expect(patch(text)).toEqual([]);
  });

  test("touches the files of its sections, not those in their content", () => {
    expect(
      patch(
        "*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/b.ts\n@@\n-x\n+[c.ts#0A1B]\n*** Add File: d.ts\n+y\n*** Delete File: e.ts\n*** End Patch",
      ),
    ).toEqual(["delete src/a.ts", "write src/b.ts", "write d.ts", "delete e.ts"]);
  });

  test("touches files with a hash of their content", () => {
    expect(patch("[src/a.ts#0A1B]\nSWAP 1.=1:\n+x\n¶src/b.ts#00FF\nDEL 3\n[1, 2]\n[not a file]")).toEqual([
      "edit src/a.ts",
      "edit src/b.ts",
    ]);
  });
});
