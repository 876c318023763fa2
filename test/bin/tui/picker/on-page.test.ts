import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { linkBehind } from "../../web/other-account.ts";
import { signIn } from "../../web/served.ts";
import { Home, openPicker, someSessions } from "./open-picker.ts";

test("Ctrl+O shows the session in the browser, as long as the picker is open", async () => {
  const home = new Home();
  const { prices } = someSessions(home);
  home.program("browser", `printf '%s' "$1" > "$HOME/target"`);
  const terminal = await openPicker(home, { env: { BROWSER: "browser" } });
  terminal.press("ctrl+o");
  await terminal.until("opened in the browser");
  await vi.waitFor(() => expect(linkIn(home)).toBeDefined(), 10_000);
  const link = linkIn(home) ?? "";
  expect(new URL(link).pathname).toBe(`/session/${prices.made.id}`);
  expect((await signIn(link)).status).toBe(200);
  terminal.press("ctrl+c");
  expect(await terminal.exit).toEqual({ code: 130 });
  await expect(fetch(link)).rejects.toThrow();
});

function linkIn(home: Home): string | undefined {
  try {
    return linkBehind(readFileSync(join(home.folder, "target"), "utf8")) || undefined;
  } catch {
    return undefined; // not yet
  }
}

test.each([
  { why: "ends with an error", browser: "exit 3" },
  { why: "is not there", browser: undefined },
])("Ctrl+O says how to get a link when the browser $why", async ({ browser }) => {
  const home = new Home();
  someSessions(home);
  if (browser) home.program("browser", browser);
  else home.program("xdg-open", "exit 3");
  const terminal = await openPicker(home, { cols: 80, env: { BROWSER: "browser" } });
  terminal.press("ctrl+o");
  await terminal.until(/\nno browser could be opened: pidex serve --no-open prints a link *$/);
});
