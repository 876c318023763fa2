import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { Home, openPicker, someSessions } from "./open-picker.ts";

test("Ctrl+O shows the session in the browser, as long as the picker is open", async () => {
  const home = new Home();
  const { prices } = someSessions(home);
  home.program("browser", `printf '%s' "$1" > "$HOME/link"`);
  const terminal = await openPicker(home, { env: { BROWSER: "browser" } });
  terminal.press("ctrl+o");
  await terminal.until("opened in the browser");
  await vi.waitFor(() => expect(linkIn(home)).toBeDefined(), 10_000);
  const link = linkIn(home) ?? "";
  const letIn = await fetch(link, { redirect: "manual" });
  expect([letIn.status, letIn.headers.get("location")]).toEqual([303, `/session/${prices.made.id}`]);
  terminal.press("ctrl+c");
  expect(await terminal.exit).toEqual({ code: 130 });
  await expect(fetch(link)).rejects.toThrow();
});

function linkIn(home: Home): string | undefined {
  try {
    return readFileSync(join(home.folder, "link"), "utf8") || undefined;
  } catch {
    return undefined; // not yet
  }
}
