import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { describeInBrowser, findViolations, launchBrowser } from "../../web/browser.ts";
import { readLink } from "../../web/other-account.ts";
import { signIn } from "../../web/serve.ts";
import { openPicker, TestHome, writeSampleSessions } from "./open-picker.ts";

test("Ctrl+O shows the session in the browser, as long as the picker is open", async () => {
  const home = new TestHome();
  const { prices } = writeSampleSessions(home);
  home.program("browser", `printf '%s' "$1" > "$HOME/target"`);
  const terminal = await openPicker(home, { env: { BROWSER: "browser" } });
  terminal.press("ctrl+o");
  await terminal.until("opened in the browser");
  await vi.waitFor(() => expect(linkIn(home)).toBeDefined(), 10_000);
  const link = linkIn(home) ?? "";
  expect(new URL(link).pathname).toBe(`/session/${prices.session.id}`);
  expect((await signIn(link)).status).toBe(200);
  // Browsers that aren't signed in get instructions: in the picker, Enter prints no link.
  const { origin } = new URL(link);
  expect(await (await fetch(`${origin}/api/sign-in`)).json()).toMatchObject({ linksFrom: "picker" });
  for (const refused of [await fetch(`${origin}/api/list`), await signIn(link)]) {
    expect(refused.status).toBe(401);
    const { error } = (await refused.json()) as { error: { hint: string } };
    expect(error.hint).toBe("Open the page again from the picker, with the key that opened it (Ctrl+O).");
  }
  terminal.press("ctrl+c");
  expect(await terminal.exit).toEqual({ code: 130 });
  await expect(fetch(link)).rejects.toThrow();
});

describeInBrowser("the page that the picker opened", () => {
  test("tells a browser that isn't signed in how to open it again", async () => {
    const home = new TestHome();
    writeSampleSessions(home);
    home.program("browser", `printf '%s' "$1" > "$HOME/target"`);
    const terminal = await openPicker(home, { env: { BROWSER: "browser" } });
    terminal.press("ctrl+o");
    await vi.waitFor(() => expect(linkIn(home)).toBeDefined(), 10_000);
    const context = await (await launchBrowser()).newContext({ locale: "en-GB" });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(new URL("/usage", linkIn(home)).href);
    await page.getByText("This page was opened from the picker").waitFor();
    expect(await page.getByText("pidex serve").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await page.goto(linkIn(home) as string);
    await page.getByRole("navigation", { name: "Views" }).waitFor();
  });
});

function linkIn(home: TestHome): string | undefined {
  try {
    return readLink(readFileSync(join(home.folder, "target"), "utf8")) || undefined;
  } catch {
    return undefined; // not yet
  }
}

test.each([
  { why: "ends with an error", browser: "exit 3", env: { DISPLAY: "" } },
  { why: "is not there", env: { DISPLAY: ":987" } },
  {
    why: "could only use the terminal, which the picker is using",
    env: { DISPLAY: "", WAYLAND_DISPLAY: "" },
  },
])("Ctrl+O says how to get a link when the browser $why", async ({ browser, env }) => {
  const home = new TestHome();
  writeSampleSessions(home);
  if (browser) home.program("browser", browser);
  // The machine's own browsers aren't on this PATH; run-mailcap starts lynx and w3m.
  if (!env.DISPLAY) home.program("run-mailcap", "/bin/sleep 100");
  const terminal = await openPicker(home, {
    cols: 80,
    env: { BROWSER: "browser", PATH: home.programs, ...env },
  });
  terminal.press("ctrl+o");
  await terminal.until(/\ncannot open a browser; pidex serve --no-open prints a link\. Set \$BROWSER/);
});
