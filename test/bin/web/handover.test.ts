/** Sign-in of the browser that pidex opens, on a machine with other accounts. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openInBrowser } from "../../../bin/actions/browser.ts";
import { writeRedirectFile } from "../../../bin/actions/redirect-file.ts";
import type { SignInLink } from "../../../bin/actions/sign-in-link.ts";
import { type RunningServer, serve } from "../../../bin/web/serve.ts";
import { BUILT_PAGE } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";
import { waitUntil } from "../../until.ts";
import { PI } from "../cli.ts";
import {
  canUseOtherAccount,
  createWaitingBrowser,
  nextSighting,
  readLink,
  watchAsOtherAccount,
} from "./other-account.ts";
import { signIn } from "./serve.ts";
import { startServe } from "./start-serve.ts";

const HANDOVER = join(import.meta.dirname, "../../../bin/actions/redirect-file.ts");

/** Number of attempts of the other account. Each starts a server. */
const TRIES = 15;

/** A page served by this process, opened with `$BROWSER`. */
async function serving(browser: string): Promise<RunningServer> {
  const before = process.env.BROWSER;
  process.env.BROWSER = browser;
  const page = await serve({ db: join(temporaryFolder(), "index.db"), roots: [PI], pageFolder: BUILT_PAGE });
  onTestFinished(async () => {
    if (before === undefined) delete process.env.BROWSER;
    else process.env.BROWSER = before;
    await page.close();
  });
  return page;
}

/** The redirect file for a browser, without a browser. */
async function handedOver(link: SignInLink): Promise<{ path: string; folder: string }> {
  const folder = temporaryFolder();
  const browser = join(folder, "browser");
  writeFileSync(
    browser,
    `#!/bin/sh\nprintf %s "$1" > "${folder}/argv.tmp" && mv "${folder}/argv.tmp" "${folder}/target"\n`,
  );
  chmodSync(browser, 0o755);
  process.env.BROWSER = browser;
  await openInBrowser(link);
  await waitUntil("the browser was started", () => existsSync(join(folder, "target")));
  const path = fileURLToPath(readFileSync(join(folder, "target"), "utf8"));
  return { path, folder: dirname(path) };
}

test.runIf(canUseOtherAccount)(
  "another account finds nothing in the process list when pidex serve opens the browser",
  async () => {
    const folder = temporaryFolder();
    const seen = watchAsOtherAccount("staying-browser");
    const browser = createWaitingBrowser(folder);
    const server = await startServe(["--root", PI, "--db", `${folder}/index.db`], {
      env: { BROWSER: browser },
    });
    const { argv, loot } = await nextSighting(seen);
    expect(loot).toEqual([]);
    const target = argv.at(-1) ?? "";
    const link = readLink(target);
    expect(new URL(link).origin).toBe(new URL(server.line).origin);
    expect(server.line).not.toContain("token");
    expect(existsSync(fileURLToPath(target))).toBe(true);
    await server.stop();
    expect(existsSync(dirname(fileURLToPath(target)))).toBe(false);
  },
);

test.runIf(canUseOtherAccount)(
  `another account that looks ${TRIES} times finds no link, and each browser is signed in`,
  async () => {
    const seen = watchAsOtherAccount("staying-browser");
    const browser = createWaitingBrowser(temporaryFolder());
    const page = await serving(browser);
    const found: string[] = [];
    const opened = new Set<string>();
    while (opened.size < TRIES) {
      await openInBrowser(page.createLink("/usage"));
      let target: string;
      do {
        const { argv, loot } = await nextSighting(seen);
        found.push(...loot);
        target = argv.at(-1) ?? "";
      } while (opened.has(target)); // a process that an earlier one was just starting
      opened.add(target);
      const link = readLink(target);
      expect(new URL(link).pathname).toBe("/usage");
      expect((await signIn(link)).status).toBe(200);
      await waitUntil("the file is gone", () => !existsSync(dirname(fileURLToPath(target))));
    }
    expect(found).toEqual([]);
  },
  300_000,
);

test.skipIf(process.platform === "win32")(
  "the file and its folder are private to the user, and deleted when the link is used",
  async () => {
    const page = await serving("");
    const link = page.createLink();
    const { path, folder } = await handedOver(link);
    expect([statSync(path).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readLink(path)).toBe(link.href);
    expect((await signIn(link.href)).status).toBe(200);
    await waitUntil("the file is gone", () => !existsSync(folder));
  },
);

test.skipIf(process.platform === "win32")(
  "the file is deleted when the link is revoked or the server ends, and the link is then invalid",
  async () => {
    const page = await serving("");
    const revoked = page.createLink();
    const first = await handedOver(revoked);
    revoked.revoke();
    await waitUntil("the file is gone", () => !existsSync(first.folder));
    expect((await signIn(revoked.href)).status).toBe(401);
    const second = await handedOver(page.createLink());
    await page.close();
    await waitUntil("the file is gone", () => !existsSync(second.folder));
  },
);

test.skipIf(process.platform === "win32")("a process that exits removes the file", () => {
  const folder = temporaryFolder();
  const script = `import { writeRedirectFile } from ${JSON.stringify(HANDOVER)};
    process.stdout.write(writeRedirectFile("http://127.0.0.1:1/#token=x", ${JSON.stringify(folder)}).path);`;
  const path = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect([path.startsWith(folder), existsSync(path), readdirSync(folder)]).toEqual([true, false, []]);
});

test("a link in the file is escaped as markup and equals the URL", () => {
  const href = `http://127.0.0.1:1/?q=%22a%22&b=<c>"'#token=x`;
  const { path, remove } = writeRedirectFile(href, temporaryFolder());
  const text = readFileSync(path, "utf8");
  remove();
  expect(text).toContain("url=http://127.0.0.1:1/?q=%22a%22&amp;b=&lt;c>&quot;'#token=x\"");
  expect(text).not.toContain("<script");
});

test.skipIf(process.platform === "win32")(
  "if $BROWSER names several commands, the first available one is started",
  async () => {
    const page = await serving("");
    const folder = temporaryFolder();
    const browser = join(folder, "browser");
    writeFileSync(
      browser,
      `#!/bin/sh\nprintf '%s|' "$@" > "${folder}/argv.tmp" && mv "${folder}/argv.tmp" "${folder}/argv"\n`,
    );
    chmodSync(browser, 0o755);
    process.env.BROWSER = `${folder}/missing --new:${browser} --new-window %s --end`;
    await openInBrowser(page.createLink());
    await waitUntil("the browser was started", () => existsSync(join(folder, "argv")));
    expect(readFileSync(join(folder, "argv"), "utf8")).toMatch(
      /^--new-window\|file:\/\/\/[^|]+\/open\.html\|--end\|$/,
    );
  },
);

test("with a browser and no terminal, only the URL is printed, without a token", async () => {
  const server = await startServe(["--root", PI, "--db", join(temporaryFolder(), "index.db")], {
    env: { BROWSER: "true" },
  });
  expect(server.line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  await waitUntil("it said so", () => server.stderr().includes("Ctrl+C stops"));
  expect(server.stderr()).toContain("If no page appears, run pidex serve --no-open to print a link.");
});

test("if no browser opens, a message says so and a link is printed", async () => {
  const server = await startServe(["--root", PI, "--db", join(temporaryFolder(), "index.db")], {
    env: { BROWSER: "false" },
  });
  await waitUntil("a link is printed", () => /#token=.*\n/.test(server.stdout()));
  const [address, link = ""] = server.stdout().trim().split("\n");
  expect([address, new URL(link).origin]).toEqual([`${new URL(link).origin}/`, address?.slice(0, -1)]);
  await waitUntil("that is said", () =>
    server.stderr().includes("cannot open a browser; open this link instead"),
  );
  expect((await signIn(link)).status).toBe(200);
});
