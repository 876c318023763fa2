import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractShellTouches } from "../../indexer/shell-touches.ts";
import { parseShellCommands } from "../../indexer/shell-words.ts";

/** Paths that a script in /w touches, as `action path`, relative to /w if below it. */
const touched = (script: string): string[] =>
  extractShellTouches(script, "/w").map(({ path, action }) => `${action} ${path.replace(/^\/w\//, "")}`);

describe("a script touches the files it literally names", () => {
  test.each<[string, string[]]>([
    ["cat a.ts", ["read a.ts"]],
    ["cat a.ts src/b.ts | head -n 20", ["read a.ts", "read src/b.ts"]],
    ["head -20 'my notes.md'", ["read my notes.md"]],
    ['tail -f "logs/web server.log" &', ["read logs/web server.log"]],
    ["cat my\\ notes.md", ["read my notes.md"]],
    ["nl -ba a.ts; wc -l b.ts\nless c.ts", ["read a.ts", "read b.ts", "read c.ts"]],
    ["/bin/cat /etc/hosts", ["read /etc/hosts"]],
    ["sudo cat ~/.profile", ["read ~/.profile"]],
    ["LANG=C cat a.ts", ["read a.ts"]],
    ["cat src/a.ts \\\n  src/b.ts", ["read src/a.ts", "read src/b.ts"]],
    ["sed -n '1,20p' src/a.ts", ["read src/a.ts"]],
    ["sed -n 5,9p src/a.ts src/b.ts", ["read src/a.ts", "read src/b.ts"]],
    ["sed -i 's/a/b/g' src/a.ts", ["edit src/a.ts"]],
    ["sed -i '' 's|from \"./x\"|from \"../x\"|' src/a.ts", ["edit src/a.ts"]],
    ["sed -i .bak 's/a/b/' src/a.ts", ["edit src/a.ts"]],
    ["sed -i.bak -e 's/a/b/' -e 's/c/d/' src/a.ts", ["edit src/a.ts"]],
    ["sed -Ei 's/a/b/' a.ts", ["edit a.ts"]],
    ["echo hi > out/a.txt", ["write out/a.txt"]],
    ["echo hi>>a.log 2>err.log", ["write a.log", "write err.log"]],
    ["make &> build.log", ["write build.log"]],
    ["make > build.log 2>&1", ["write build.log"]],
    ["npm test 2>/dev/null | tee -a test.log", ["write test.log"]],
    ["wc -l < a.txt", ["read a.txt"]],
    ["cat > a.py << 'EOF'\ncat b.py > c.py\n$(rm d.py)\nEOF\npython3 a.py", ["write a.py"]],
    ["cat <<-END > a.md\n\tcat b.md\n\tEND\ncat c.md", ["write a.md", "read c.md"]],
    ["cat <<A <<B\ncat x.a\nA\ncat x.b\nB\ncat c.md", ["read c.md"]],
    ["cp a.ts b.ts", ["read a.ts", "write b.ts"]],
    ["cp a.ts c/b.ts lib/", ["read a.ts", "write lib/a.ts", "read c/b.ts", "write lib/b.ts"]],
    ["mv src/a.ts ..", ["delete src/a.ts", "write /a.ts"]],
    ["mv theme/* src/theme/", []],
    ["mv src/ui// lib/", ["delete src/ui", "write lib/ui"]],
    ["rm -rf dist/ src/old.ts", ["delete dist", "delete src/old.ts"]],
    ["touch src/new.ts", ["write src/new.ts"]],
    ["touch -r a.ts b.ts", []],
    ["git add src/a.ts && git commit -m 'see b.ts'", ["use src/a.ts"]],
    ["git rm --cached .env; git rm a.ts", ["use .env", "delete a.ts"]],
    ["git mv a.ts b.ts", ["delete a.ts", "write b.ts"]],
    ["git checkout -- src/a.ts", ["write src/a.ts"]],
    ["git checkout feature/a.b", []],
    ["git diff main -- src/a.ts", ["read src/a.ts"]],
    ["git show HEAD:src/a.ts", []],
    ["git restore src/a.ts", ["write src/a.ts"]],
    ["git restore --source origin/main src/a.ts", []],
    ["grep -n 'foo.bar' src/a.ts", ["search src/a.ts"]],
    ["grep -A 5 -rn foo.bar src/ --include=*.ts", ["search src"]],
    ["grep -e a.b -e c.d src/a.ts", ["search src/a.ts"]],
    ["rg --glob '*.ts' a.b src/x", ["search src/x"]],
    ["rg --type ts a/b", []],
    ["ls -la src/ui", ["search src/ui"]],
    ["find src/ui . -name a.ts -newer b.ts", ["search src/ui"]],
    ["cd src && cat a.ts; cd ../lib; cat b.ts", ["read src/a.ts", "read lib/b.ts"]],
    ["cd /tmp && cat a.ts", ["read /tmp/a.ts"]],
    ["cd && cat a.ts", ["read ~/a.ts"]],
    ["cd $DIR && cat a.ts /etc/hosts", ["read /etc/hosts"]],
    ["cd - && cat a.ts", []],
    ["cat a.ts # and b.ts", ["read a.ts"]],
    ["cat a#b.ts", ["read a#b.ts"]],
    ["cat $FILE \"$DIR/b.ts\" '$c.ts' ok.ts", ["read ok.ts"]],
    ["cat *.ts a?.ts src/{$A,b}.ts ok.ts", ["read ok.ts"]],
    ["cat src/{a,b}.ts '{c,d}.ts' x{1..3}.ts", ["read src/a.ts", "read src/b.ts", "read {c,d}.ts"]],
    ["cat {a,b}/{c,d}.ts", ["read a/c.ts", "read a/d.ts", "read b/c.ts", "read b/d.ts"]],
    ["cat Makefile > LICENSE; head -n 5 x", ["write LICENSE", "read Makefile"]],
    ["(cd src && cat a.ts) > b.ts; cat c.ts", ["read src/a.ts", "write b.ts", "read c.ts"]],
    ["[[ a < b.ts && c > d ]] && cat e.ts < f", ["read f", "read e.ts"]],
    ["pushd src; popd; cat a.ts; popd; cat b.ts", ["read a.ts"]],
    ["mv -t lib a.ts b.ts", ["delete a.ts", "write lib/a.ts", "delete b.ts", "write lib/b.ts"]],
    ["timeout -k 5 30s cat a.ts", ["read a.ts"]],
    ["jq --arg v 1 '.a = $v' a.json", ["read a.json"]],
    ["awk -F, -f sum.awk data/a.csv", ["read data/a.csv"]],
    ["sh -c 'cat a.ts' && bash <<'EOF'\ncat b.ts\nEOF", ["read a.ts", "read b.ts"]],
    ["python3 x.py <<'EOF'\nopen('a.txt')\nEOF", []],
    ["cd $X && python3 -c \"open('a.txt')\"", []],
    ["cat ~eve/a.ts", []],
    ["cat 'app/[id]/page.tsx'", ["read app/[id]/page.tsx"]],
    ["{ cat a.ts; } > b.ts", ["read a.ts", "write b.ts"]],
    ["npx vitest run test/a.test.ts", []],
    ["node src/a.ts && python3 b.py", []],
    ["echo cat a.ts", []],
    ["cat https://shop.example/a.ts", []],
    ["constructor a.ts; __proto__ b.ts", []],
    ["", []],
  ])("%j: %j", (script, files) => {
    expect(touched(script)).toEqual(files);
  });
});

describe("values of options and the like are not files", () => {
  test.each<[string, string[]]>([
    ["! [[ a < b ]] || time [[ c > d ]] || time -p [[ e > f ]] || { [[ g > h ]]; }", []],
    ["! [[ a < b ]] && cat c.ts < d", ["read d", "read c.ts"]],
    ["echo [[ > a.ts", ["write a.ts"]],
    [
      "yq eval '.a.b' f.yml; yq e .a.b g.yml; yq -p xml -o json .a.b h.xml",
      ["read f.yml", "read g.yml", "read h.xml"],
    ],
    ["jq --tab . a.json", ["read a.json"]],
    ["jq --indent 2 -L lib/jq .a.b a.json", ["read a.json"]],
    ["perl -pi -e s/a/b/ -e s/x.y/z/ f.txt g.txt", ["edit f.txt", "edit g.txt"]],
    [
      "perl -0777 -i -pe s/a.b/c/ f.txt; perl -Mstrict -i.bak -I lib/p -ne 1 g.txt",
      ["edit f.txt", "edit g.txt"],
    ],
    ["perl -i bin/fix.pl f.txt", ["edit f.txt"]],
    [
      "grep -c '' src/a.ts; rg '' src/b.ts; jq '' a.json",
      ["search src/a.ts", "search src/b.ts", "read a.json"],
    ],
    ["rg -j 4 a.b src", ["search src"]],
    ["rg -r c.d a.b src; rg -E utf-8 -T js -d 3 a.b lib", ["search src", "search lib"]],
    [
      "rg --sortr path a.b src; rg --max-filesize 1M --pre bin/x --pre-glob '*.pdf' a.b lib",
      ["search src", "search lib"],
    ],
    ["rg --colors match:fg:red --field-match-separator : --path-separator / a.b src", ["search src"]],
    ["rg -trust a.b src; rg -tjs -A3 a.b lib; rg -ea.b test", ["search src", "search lib", "search test"]],
    ["rg --files src; rg -nf a.txt lib", ["search src", "search lib"]],
    [
      "grep -rE a.b src; grep -rT a.b lib; grep -r --color a.b test",
      ["search src", "search lib", "search test"],
    ],
    ["grep -d skip -D skip --binary-files text --exclude-from a.txt a.b src", ["search src"]],
    ["grep -ea.b -m1 src/a.ts; grep --regexp=a.b src/b.ts", ["search src/a.ts", "search src/b.ts"]],
    [
      "stat -c '%n/%s' a.ts; stat -f %Sm.%N b.ts; stat --format %n.x c.ts",
      ["read a.ts", "read b.ts", "read c.ts"],
    ],
    ["tree -I 'a/b' -P c.d -L 2 -o e.txt src/ui", ["search src/ui"]],
    ["ls -I a.ts --ignore b.ts src/ui", ["search src/ui"]],
    [
      "diff -x a/b -X c.txt --label d.ts -U 3 e.ts f.ts; diff -ruL x.y g.ts h.ts",
      ["read e.ts", "read f.ts", "read g.ts", "read h.ts"],
    ],
    [
      "sort -T /tmp/x -t / -k 2.a f.txt; sort -nrk 2 -S 1.G --temporary-directory /tmp/y g.txt",
      ["read f.txt", "read g.txt"],
    ],
    ["awk '{print $1}' FS=/ OFS=a.b f.txt FS=x/y g.txt", ["read f.txt", "read g.txt"]],
    [
      "git restore --staged a.ts; git restore -S b.ts; git restore -SW c.ts",
      ["use a.ts", "use b.ts", "write c.ts"],
    ],
    ["git restore --staged --worktree a.ts", ["write a.ts"]],
    ["bash run.sh -c 'rm a.ts'; python3 b.py -c \"open('c.ts')\"; node d.js -e \"fs.rmSync('e.ts')\"", []],
    ["bash -eo pipefail -c 'rm a.ts' x -c 'rm b.ts'", ["delete a.ts"]],
    [
      "python3 -W ignore -X utf8 -c \"open('a.ts')\"; node -r tsx/cjs -e \"fs.rmSync('b.ts')\"",
      ["read a.ts", "delete b.ts"],
    ],
    ["bash --rcfile x.sh <<A\nrm a.ts\nA", ["delete a.ts"]],
  ])("%j: %j", (script, files) => {
    expect(touched(script)).toEqual(files);
  });

  const patch = "--- a/x.ts\n+++ b/x.ts\n";
  test.each<[string, string[]]>([
    ["git apply", ["edit x.ts"]],
    ["git apply --stat --apply", ["edit x.ts"]],
    ["git apply --check", []],
    ["git apply --stat", []],
    ["git apply --numstat -p1", []],
    ["git apply --summary", []],
    ["git apply --cached", []],
    ["patch -p1", ["edit x.ts"]],
    ["patch --dry-run -p1", []],
  ])("%s: %j", (command, files) => {
    expect(touched(`${command} <<'EOF'\n${patch}EOF`)).toEqual(files);
  });
});

describe("a script that only its execution could resolve touches nothing", () => {
  test.each([
    "cat a.ts $(git ls-files)",
    "cat a.ts; echo `date`",
    'cat a.ts; echo "$(date)"',
    "for f in a.ts b.ts; do cat $f; done",
    "if [ -f a.ts ]; then cat a.ts; fi",
    "while read l; do cat a.ts; done",
    "(cd src && cat a.ts",
    "cat a.ts)",
    "files=(a.ts b.ts)",
    "(( a > b )) && cat a.ts",
    "diff <(cat a.ts) b.ts",
    "f() { cat a.ts; }",
    "cat 'a.ts",
    'cat "a.ts',
    "cat a.ts >",
    "cat $'a.ts'",
    `cat a.ts ${"x".repeat(70_000)}`,
  ])("%j", (script) => {
    expect(touched(script)).toEqual([]);
  });
});

describe("files and nested scripts are limited, to bound memory", () => {
  const list = (length: number): string => `{${",".repeat(length - 1)}}`;

  test.each([400, 100])("a word with three lists of %i items is not a file", (length) => {
    expect(touched(`rm a${list(length).repeat(3)} b.ts`)).toEqual(["delete b.ts"]);
  });

  test("lists are expanded to at most 1,000 words in a script", () => {
    expect(touched(`cat {a,b}${"{c,d}".repeat(4)}.${list(31)}ts`)).toHaveLength(32 * 31);
    expect(touched(`cat {a,b}${"{c,d}".repeat(4)}.${list(32)}ts`)).toEqual([]);
    expect(
      touched(`cat a/${list(20).repeat(2)} b/${list(30).repeat(2)} c/${list(30).repeat(2)} d.ts`),
    ).toEqual([...Array(400).fill("read a"), "read d.ts"]);
    const many = Array.from({ length: 1_200 }, (_, n) => `a/${n}${list(16).repeat(2)}`).join(" ");
    expect(touched(`bash <<A\nrm ${many}\nA`)).toHaveLength(3 * 256);
  });

  test("nested scripts are read four levels deep", () => {
    const nested = (depth: number): string =>
      Array.from({ length: depth }, (_, n) => `bash <<E${n}\ncat ${n}.ts\n`).join("");
    expect(touched(nested(4))).toEqual(["read 0.ts", "read 1.ts", "read 2.ts", "read 3.ts"]);
    expect(touched(nested(2_000))).toEqual(["read 0.ts", "read 1.ts", "read 2.ts", "read 3.ts"]);
    expect(touched("bash<<A\n".repeat(2_000))).toEqual([]);
  });
});

test("words are split as by a shell", () => {
  const commands = parseShellCommands(String.raw`a "b \" \$c \d" 'e'"f"g\ h i; j|k && l`);
  expect(commands?.map(({ words }) => words.map(({ text }) => text))).toEqual([
    ["a", String.raw`b " $c \d`, "efg h", "i"],
    ["j"],
    ["k"],
    ["l"],
  ]);
});

test("quoted words are unchanged, with any content", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (words) => {
      const script = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
      const read = parseShellCommands(script)?.flatMap((command) => command.words.map(({ text }) => text));
      if (read) expect(read).toEqual(words);
      else
        expect(words[0]).toMatch(
          /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function)$/,
        );
    }),
  );
});

test("any script is read without an error", () => {
  const piece = fc.constantFrom(
    ..."'\"\\$`()<>|&;#~\n\t =-*[]{}!0a/.",
    "cat",
    "cd",
    "sed -i",
    "<<",
    "<<-",
    "&>",
    "EOF",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const { path } of extractShellTouches(pieces.join(""), "/w")) expect(path).toMatch(/^[/~]/);
    }),
    { numRuns: 2_000 },
  );
});
