import type { Fields } from "../../fixtures/blocks.ts";

/** A tool call from a real agent, and its effects on files, determined by hand. */
export interface TouchSample {
  tool: string;
  args: Fields;
  /** `action path`, relative to the working directory if below it. */
  touches: string[];
  cwd?: string;
  /** The effects that pidex does not find, with the reason. */
  missed?: { touches: string[]; why: string };
}

const WINDOWS = "C:\\shop";

const call = (tool: string, args: Fields, ...expected: string[]): TouchSample => ({
  tool,
  args,
  touches: expected,
});
const missing = (sample: TouchSample, why: string, ...touches: string[]): TouchSample => ({
  ...sample,
  missed: { touches, why },
});
const bash = (command: string, ...expected: string[]): TouchSample => call("bash", { command }, ...expected);
const powershell = (command: string, ...expected: string[]): TouchSample => ({
  ...call("powershell", { command }, ...expected),
  cwd: WINDOWS,
});

/**
 * Tool calls of all agents, with the files they touch. Written without knowledge of the detector, which then found 65 of the
 * 111 and reported 4 wrong ones. It was improved with these samples, so its result here no longer predicts its accuracy.
 */
export const TOUCH_SAMPLES: readonly TouchSample[] = [
  // Shell: here-documents
  bash("cat > src/cart.ts <<'EOF'\nimport x from './x.ts';\nrm -rf old.ts\nEOF", "write src/cart.ts"),
  bash("cat <<EOF >> docs/notes.md\n$(date): done > a.txt\nEOF", "write docs/notes.md"),
  bash(
    "cat <<-'END' | tee config/app.yml\n\tport: 80\n\tEND\ncat config/app.yml",
    "write config/app.yml",
    "read config/app.yml",
  ),
  bash(
    "python3 - <<'PY'\nfrom pathlib import Path\np = Path('src/tax.py')\ns = p.read_text()\np.write_text(s.replace('a', 'b'))\nPY",
    "read src/tax.py",
    "write src/tax.py",
  ),
  bash("patch -p1 < fix.patch", "read fix.patch"),
  bash(
    "git apply <<'EOF'\n--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -1 +1 @@\n-a\n+b\nEOF",
    "edit src/cart.ts",
  ),
  // Shell: in-place edits and redirections
  bash("sed -i -E 's/(foo|bar)/baz/g' src/a.ts src/b.ts", "edit src/a.ts", "edit src/b.ts"),
  bash("sed --in-place=.bak '3d' package.json && git diff --stat", "edit package.json"),
  bash("perl -pi -e 's/foo/bar/g' lib/Shop.pm", "edit lib/Shop.pm"),
  bash(
    "sed -n '10,40p' src/cart.ts; echo ---; sed -n 1,5p src/tax.ts",
    "read src/cart.ts",
    "read src/tax.ts",
  ),
  bash("echo 'a > b.txt' > out.txt 2>&1", "write out.txt"),
  bash("npm test 2>&1 | tee logs/test.log | tail -20", "write logs/test.log"),
  bash("printf '%s\\n' one two >| list.txt", "write list.txt"),
  bash(
    "jq '.version = \"2\"' package.json > package.tmp.json && mv package.tmp.json package.json",
    "read package.json",
    "write package.tmp.json",
    "delete package.tmp.json",
    "write package.json",
  ),
  bash("sort -u < words.txt > words.sorted.txt", "read words.txt", "write words.sorted.txt"),
  bash("FOO=1 node build.js &> build.log", "write build.log"),
  // Shell: moving and deleting
  bash("git mv src/old.ts src/new.ts", "delete src/old.ts", "write src/new.ts"),
  bash("git rm --cached secrets.env && git rm -f src/dead.ts", "use secrets.env", "delete src/dead.ts"),
  bash("git checkout HEAD~1 -- src/cart.ts", "write src/cart.ts"),
  bash("git restore --staged --worktree src/tax.ts", "write src/tax.ts"),
  bash(
    "mkdir -p out && cp -r templates/base.html out/index.html",
    "read templates/base.html",
    "write out/index.html",
  ),
  missing(
    bash("unlink tmp/lock.pid; rm -f -- '-odd.txt'", "delete tmp/lock.pid", "delete -odd.txt"),
    "it looks like an option",
    "delete -odd.txt",
  ),
  bash(
    "mv -t archive/ a.log b.log",
    "delete a.log",
    "write archive/a.log",
    "delete b.log",
    "write archive/b.log",
  ),
  bash("ln -sf ../base/eslint.config.js eslint.config.js", "write eslint.config.js"),
  // Shell: working directory
  bash("cd packages/api && cat src/index.ts", "read packages/api/src/index.ts"),
  bash("cd /srv/app; head -50 server.js | grep port", "read /srv/app/server.js"),
  bash(
    "(cd web && cat vite.config.ts) && cat tsconfig.json",
    "read web/vite.config.ts",
    "read tsconfig.json",
  ),
  bash("git -C ../lib show HEAD:src/x.ts"),
  bash(
    "pushd docs >/dev/null && cat index.md && popd && cat README.md",
    "read docs/index.md",
    "read README.md",
  ),
  bash("cat ~/.config/shop/rc.json", "read ~/.config/shop/rc.json"),
  // Shell: quoting, unicode, expansions
  bash("cat 'My Notes/to do.md' \"src/a b.ts\"", "read My Notes/to do.md", "read src/a b.ts"),
  bash("cat My\\ Notes/plan.md", "read My Notes/plan.md"),
  bash("cat docs/日本語.md docs/über-uns.md", "read docs/日本語.md", "read docs/über-uns.md"),
  bash("cat src/{cart,tax}.ts", "read src/cart.ts", "read src/tax.ts"),
  bash("wc -l src/*.ts"),
  bash('cat $CONFIG && cat "$HOME/.npmrc"'),
  // Shell: pipes, searches and wrappers
  bash("grep -rl 'oldName' src | xargs sed -i 's/oldName/newName/g'", "search src"),
  bash("printf 'a.ts\\0b.ts' | xargs -0 cat"),
  bash("find src -name '*.test.ts' -not -path './node_modules/*' | head", "search src"),
  bash("rg -n --glob '!dist' 'src/cart.ts' docs/ README.md", "search docs", "search README.md"),
  bash("awk -F, '{print $1}' data/prices.csv", "read data/prices.csv"),
  bash("sudo cat /etc/nginx/nginx.conf", "read /etc/nginx/nginx.conf"),
  bash("timeout 30 cat big.log | tail -5", "read big.log"),
  missing(
    bash("if [ -f package.json ]; then cat package.json; fi", "read package.json"),
    "what a condition does depends on the disk",
    "read package.json",
  ),
  bash("for f in a.ts b.ts; do cat $f; done"),
  bash("git commit -m 'rm src/old.ts; cat > new.ts' && curl -s https://shop.example/a.json"),
  bash("diff -u src/a.ts src/b.ts | less", "read src/a.ts", "read src/b.ts"),
  bash("bash -lc 'cat src/inner.ts'", "read src/inner.ts"),
  bash("curl -sL https://shop.example/x.tgz -o vendor/x.tgz", "write vendor/x.tgz"),
  // Code on a command line
  bash("python -c \"open('out/data.json', 'w').write('x')\"", "write out/data.json"),
  bash('python3 -c \'import json; print(json.load(open("package.json"))["name"])\'', "read package.json"),
  bash(
    "node -e \"const fs=require('fs'); fs.writeFileSync('dist/v.txt', fs.readFileSync('VERSION.txt'))\"",
    "write dist/v.txt",
    "read VERSION.txt",
  ),
  bash(
    'node --input-type=module -e \'import { rmSync } from "node:fs"; rmSync("tmp/cache.db")\'',
    "delete tmp/cache.db",
  ),
  // PowerShell
  powershell("Set-Content -Path src\\a.ts -Value 'x > y'", "write src\\a.ts"),
  powershell(
    'Get-ChildItem src | Out-File -FilePath "My Files\\list.txt" -Encoding utf8',
    "search src",
    "write My Files\\list.txt",
  ),
  powershell("Move-Item -LiteralPath 'a[1].txt' -Destination 'b.txt'", "delete a[1].txt", "write b.txt"),
  powershell(
    "gc .\\src\\cart.ts | sc ..\\copy.ts; del old.ts",
    "read src\\cart.ts",
    "write C:\\copy.ts",
    "delete old.ts",
  ),
  powershell("@'\nline 'one'\nRemove-Item x.ts\n'@ | Set-Content notes.md", "write notes.md"),
  powershell(
    "(Get-Content config.json) -replace 'a','b' | Set-Content config.json",
    "read config.json",
    "write config.json",
  ),
  powershell(
    "Rename-Item -Path D:\\data\\old.csv -NewName new.csv",
    "delete D:\\data\\old.csv",
    "write D:\\data\\new.csv",
  ),
  missing(
    powershell("[System.IO.File]::WriteAllText('C:\\shop\\out.txt', 'x')", "write out.txt"),
    "only commands are read, not methods of .NET",
    "write out.txt",
  ),
  powershell(
    "New-Item -ItemType File -Path src/new.ts -Force | Out-Null; Add-Content src/new.ts 'x'",
    "write src\\new.ts",
  ),
  // Patches
  call(
    "apply_patch",
    {
      input:
        "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** Add File: src/new.ts\n+x\n*** Delete File: src/old.ts\n*** End Patch",
    },
    "edit src/a.ts",
    "write src/new.ts",
    "delete src/old.ts",
  ),
  call(
    "apply_patch",
    {
      input:
        "*** Begin Patch\n*** Update File: src/from.ts\n*** Move to: src/to.ts\n@@\n-a\n+b\n*** End Patch",
    },
    "delete src/from.ts",
    "write src/to.ts",
  ),
  bash(
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/cart.ts\n@@\n-a\n+b\n*** End Patch\nEOF",
    "edit src/cart.ts",
  ),
  call(
    "apply_patch",
    { patch: "diff --git a/src/x.ts b/src/x.ts\n--- a/src/x.ts\n+++ b/src/x.ts\n@@ -1 +1 @@\n-a\n+b" },
    "edit src/x.ts",
  ),
  // MCP file servers
  call("mcp__filesystem__write_file", { path: "/w/docs/a.md", content: "see b.md" }, "write docs/a.md"),
  call(
    "mcp_filesystem_edit_file",
    { path: "src/a.ts", edits: [{ oldText: "b.ts", newText: "c.ts" }], dryRun: false },
    "edit src/a.ts",
  ),
  call("filesystem_move_file", { source: "a.ts", destination: "lib/b.ts" }, "delete a.ts", "write lib/b.ts"),
  call("filesystem__read_multiple_files", { paths: ["a.ts", "src/b.ts"] }, "read a.ts", "read src/b.ts"),
  call("read_text_file", { path: "LICENSE", head: 5 }, "read LICENSE"),
  call("directory_tree", { path: "src/ui" }, "search src/ui"),
  // Notebooks and others
  call(
    "NotebookEdit",
    { notebook_path: "/w/nb/train.ipynb", cell_id: "1", new_source: "open('x')" },
    "edit nb/train.ipynb",
  ),
  call("notebook_read", { notebook_path: "nb/train.ipynb" }, "read nb/train.ipynb"),
  call("read", { path: "src/cart.ts:10-40" }, "read src/cart.ts"),
  call("str_replace_editor", { command: "create", path: "/w/a.ts", file_text: "x" }, "write a.ts"),
  call("str_replace_editor", { command: "view", path: "/w/a.ts" }, "read a.ts"),
  call("exec", { command: "cat src/openclaw.ts", workdir: "/w/app" }, "read app/src/openclaw.ts"),
  call("ipython", { code: "%%bash\ncat src/prime.ts" }, "read src/prime.ts"),
  call(
    "ipython",
    { code: "import pandas as pd\ndf = pd.read_csv('data/a.csv')\ndf.to_csv('data/b.csv')" },
    "read data/a.csv",
    "write data/b.csv",
  ),
  { ...call("read", { file_path: "C:/shop/src/a.ts" }, "read src\\a.ts"), cwd: WINDOWS },
  { ...call("write", { path: "src/über uns.md", content: "" }, "write src\\über uns.md"), cwd: WINDOWS },
];

/** Others, written after what the first ones showed was mended: of their 57 touches 7 were missed, and are, and none was found that is none. */
export const FRESH_SAMPLES: readonly TouchSample[] = [
  bash("cat package.json | jq -r '.scripts | keys[]'", "read package.json"),
  bash("ls -la && cat Dockerfile && git status --short", "read Dockerfile"),
  bash(
    "cp .env.example .env && sed -i 's/^PORT=.*/PORT=8080/' .env",
    "read .env.example",
    "write .env",
    "edit .env",
  ),
  bash(
    "mkdir -p src/{api,ui} && touch src/api/index.ts src/ui/index.ts",
    "write src/api/index.ts",
    "write src/ui/index.ts",
  ),
  bash("tail -n 100 /var/log/syslog | grep -i error", "read /var/log/syslog"),
  missing(
    bash("npx prettier --write src/cart.ts && npx eslint --fix src/cart.ts", "edit src/cart.ts"),
    "what other programs do with their arguments is not known",
    "edit src/cart.ts",
  ),
  bash("node scripts/build.mjs --out dist/app.js"),
  bash(
    "python3 <<'EOF'\nimport re\np='src/cart.ts'\ns=open(p).read()\ns=s.replace('a','b')\nopen(p,'w').write(s)\nEOF",
    "read src/cart.ts",
    "write src/cart.ts",
  ),
  missing(
    bash(
      "python - <<EOF\nfor p in ['a.txt','b.txt']:\n    print(open(p).read())\nEOF",
      "read a.txt",
      "read b.txt",
    ),
    "the names come about as it runs",
    "read a.txt",
    "read b.txt",
  ),
  bash("ps aux | grep node | grep -v grep | awk '{print $2}' | xargs kill"),
  bash("docker exec app cat /etc/app.conf && ssh host 'cat /etc/hosts'"),
  missing(
    bash("tar czf backup.tgz src && rm -rf build", "write backup.tgz", "read src", "delete build"),
    "archivers are not read",
    "read src",
    "write backup.tgz",
  ),
  bash(
    "git diff HEAD~3 --stat -- src/cart.ts && git log --oneline -5 -- README.md",
    "read src/cart.ts",
    "read README.md",
  ),
  bash("git show HEAD:src/cart.ts > /tmp/cart.old.ts", "write /tmp/cart.old.ts"),
  bash(
    "grep -n 'total' src/cart.ts || grep -rn total lib | head -3; test -f src/x.ts && echo yes",
    "search src/cart.ts",
    "search lib",
  ),
  bash(
    "cat <<'EOF' > run.sh && chmod +x run.sh && ./run.sh\n#!/bin/sh\nrm -rf /tmp/cache.db\nEOF",
    "write run.sh",
  ),
  bash("kubectl apply -f deploy/app.yaml; helm template chart > out.yaml", "write out.yaml"),
  bash('echo "export A=1" >> ~/.bashrc; source ~/.bashrc', "write ~/.bashrc"),
  bash("git commit -F - <<'EOF'\nfix: cat src/a.ts > b.ts\nEOF"),
  bash("psql -c 'select * from a.b' > rows.csv 2> err.log", "write rows.csv", "write err.log"),
  bash("sed -e 's/a/b/' -e 's/c/d/' in.txt | sort | uniq -c > out.txt", "read in.txt", "write out.txt"),
  bash(
    "head -c 100 data.bin | xxd; tac log.txt; less +F app.log",
    "read data.bin",
    "read log.txt",
    "read app.log",
  ),
  bash("find . -name '*.orig' -delete; find src/old -type f | wc -l", "search src/old"),
  missing(
    bash("node -e \"console.log(require('./package.json').version)\"", "read package.json"),
    "what is imported is code mostly",
    "read package.json",
  ),
  bash("rg 'useState' -t tsx src components -l", "search src", "search components"),
  powershell("Get-Content -Path .\\appsettings.json -Raw | ConvertFrom-Json", "read appsettings.json"),
  missing(
    powershell("$x = Get-Content config.json; $x | Out-File out.json", "read config.json", "write out.json"),
    "assignments are not read",
    "read config.json",
  ),
  powershell(
    "Copy-Item -Path src\\a.ts -Destination backup\\a.ts -Force",
    "read src\\a.ts",
    "write backup\\a.ts",
  ),
  powershell("Get-ChildItem -Recurse -Filter *.cs | Select-String 'TODO'"),
  powershell(
    'Remove-Item -Path "bin","obj" -Recurse -Force -ErrorAction SilentlyContinue',
    "delete bin",
    "delete obj",
  ),
  call("mcp__filesystem__list_directory", { path: "/w/src" }, "search src"),
  call("filesystem__copy_file", { source: "a.ts", destination: "b.ts" }, "read a.ts", "write b.ts"),
  call("github_create_pull_request", { title: "x", head: "feat/a.b", base: "main", body: "see src/a.ts" }),
  call(
    "edit",
    { path: "src/app.py", edits: [{ op: "update", rename: "src/main.py", diff: "@@" }] },
    "delete src/app.py",
    "write src/main.py",
  ),
  call(
    "edit",
    {
      input:
        '<SM:EDIT path="src/config.ts">\n<SM:FIND>\n*** Update File: no.ts\n</SM:FIND>\n<SM:PUT>\nx\n</SM:PUT>\n</SM:EDIT>',
    },
    "edit src/config.ts",
  ),
  call(
    "edit",
    {
      input:
        "*** Begin Patch\n[src/a.ts#0A1B]\nPUT 3.=3:\n+MV b.ts\nMV src/b.ts\n[src/c.ts#1A2B]\nREM\n*** End Patch",
    },
    "delete src/a.ts",
    "write src/b.ts",
    "delete src/c.ts",
  ),
  call(
    "eval",
    { language: "js", code: "const t = await read('notes.md'); await write('out.md', t.trim())" },
    "read notes.md",
    "write out.md",
  ),
  call("glob", { path: "src/**/*.ts" }, "search src"),
  call("read", { path: "vendor/a.zip:src/index.ts:10-20" }, "read vendor/a.zip"),
  call(
    "lsp",
    { action: "rename_file", file: "src/a.ts", new_name: "src/b.ts" },
    "delete src/a.ts",
    "write src/b.ts",
  ),
];
