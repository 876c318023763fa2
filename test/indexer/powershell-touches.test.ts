import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractPowershellTouches } from "../../indexer/powershell-touches.ts";

/** Paths that a script in /w touches, as `action path`, relative to /w if below it. */
const touched = (script: string, cwd = "/w"): string[] =>
  extractPowershellTouches(script, cwd).map(({ path, action }) => `${action} ${path.replace(/^\/w\//, "")}`);

describe("a PowerShell script touches the files it literally names", () => {
  test.each<[string, string[]]>([
    ["Get-Content src/a.ts", ["read src/a.ts"]],
    ["Get-Content .\\src\\a.ts, .\\b.ts -TotalCount 20", ["read src/a.ts", "read b.ts"]],
    ["gc 'my notes.md' | Select-String -Pattern 'a/b.ts'", ["read my notes.md"]],
    ['cat -Raw -Path "src/a.ts"', ["read src/a.ts"]],
    ["Set-Content -Path out\\a.txt -Value 'see b.txt'", ["write out/a.txt"]],
    ["'x' | Out-File -FilePath a.log -Append", ["write a.log"]],
    ["Write-Output hi > out/a.txt", ["write out/a.txt"]],
    ["npm test 2>&1 | Tee-Object test.log", ["write test.log"]],
    ["Remove-Item -Recurse -Force dist/, src/old.ts", ["delete dist", "delete src/old.ts"]],
    ["Get-ChildItem -Path src/ui -Filter *.ts -Recurse", ["search src/ui"]],
    ["Select-String 'foo.bar' src/a.ts", ["search src/a.ts"]],
    ["sls -Path src/a.ts -Pattern foo.bar", ["search src/a.ts"]],
    ["Copy-Item a.ts lib/b.ts", ["read a.ts", "write lib/b.ts"]],
    ["Move-Item -Path a.ts -Destination lib/b.ts", ["delete a.ts", "write lib/b.ts"]],
    ["cd src; Get-Content a.ts", ["read src/a.ts"]],
    ["cd $home; Get-Content a.ts; cat /etc/hosts", ["read /etc/hosts"]],
    ["git add src/a.ts; git.exe rm b.ts", ["use src/a.ts", "delete b.ts"]],
    ["Get-ChildItem src/ui | ForEach-Object { Get-Content $_.FullName }", ["search src/ui"]],
    ['Get-Content $path; Get-Content src/*.ts; Get-Content "$dir/a.ts"', []],
    ["Get-Content src/a.ts # and b.ts\n<# cat c.ts #>", ["read src/a.ts"]],
    ["Get-Content `\n  src/a.ts", ["read src/a.ts"]],
    ["if (Test-Path a.ts) { Get-Content a.ts }", []],
    ["(Get-Content a.ts) -replace 'x', 'y' | Set-Content b.ts", ["read a.ts", "write b.ts"]],
    ["if ($x) { (Get-Content a.ts) }", []],
    ["Get-ChildItem src; gc Makefile", ["search src", "read Makefile"]],
    [
      "Rename-Item lib/a.ts b.ts; ren -Path c.ts -NewName d.ts",
      ["delete lib/a.ts", "write lib/b.ts", "delete c.ts", "write d.ts"],
    ],
    ["@'\r\nRemove-Item a.ts\r\n'@ | Set-Content b.md", ["write b.md"]],
    ["gc a.md; @'\nx'\nRemove-Item b.ts", ["read a.md"]],
    ['gc a.md; @"\nx"\nRemove-Item b.ts', ["read a.md"]],
  ])("%s", (script, expected) => {
    expect(touched(script)).toEqual(expected);
  });

  test("on Windows", () => {
    expect(touched("Get-Content src\\a.ts; Get-Content D:\\b.ts", "C:\\work")).toEqual([
      "read C:\\work\\src\\a.ts",
      "read D:\\b.ts",
    ]);
  });

  test("any script is read quickly and without an error", () => {
    const pieces = fc.constantFrom(
      "'",
      '"',
      "`",
      "$(",
      "(",
      ")",
      "{",
      "}",
      "@'\n",
      "#",
      "<#",
      ">",
      "|",
      "a.ts ",
      "cat ",
      "\\",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (all) =>
        Array.isArray(extractPowershellTouches(all.join(""), "/w")),
      ),
    );
    for (const piece of ["(", "'", '"', "{", "<#", "@'\n", "`"])
      extractPowershellTouches(`cat a.ts ${piece.repeat(30_000)}`, "/w");
  });
});
