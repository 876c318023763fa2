/** Diffs in a real browser. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";

const OLD = "// rounds down\nexport function taxOf(total: number) {\n  return Math.floor(total * 0.19);\n}\n";
const NEW =
  "// rounds half up\nexport function taxOf(total: number) {\n  return Math.round(total * rate);\n}\n";

describeInBrowser("diffs in the page", () => {
  test("code is highlighted, changed words are marked, and a selection has no signs", async () => {
    const root = join(temporaryFolder(), "root");
    session({ id: "edit" })
      .user("fix it")
      .tool("edit", { path: "tax.ts", oldText: OLD, newText: NEW }, "Replaced.")
      .writeUnder(root);
    const { page } = await openPage(root, { path: "/session/edit", colorScheme: "dark" });
    await page.locator(".call > summary").click();
    await page.locator("del .code-function", { hasText: "floor" }).waitFor();
    expect(await page.locator("del .diff-word").allTextContents()).toEqual(["down", "floor", "0.19"]);
    expect(await page.locator("ins .diff-word").allTextContents()).toEqual(["half up", "round", "rate"]);
    expect(await findViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await findViolations(page)).toEqual([]);
    const selected = await page.evaluate(() => {
      getSelection()?.selectAllChildren(document.querySelector(".diff-lines") as Element);
      return String(getSelection());
    });
    expect(selected.trim().split("\n")).toEqual([
      "// rounds down",
      "// rounds half up",
      "export function taxOf(total: number) {",
      "  return Math.floor(total * 0.19);",
      "  return Math.round(total * rate);",
      "}",
    ]);
  });

  test("on a wide screen, the old and the new text can be side by side, which is kept", async () => {
    const root = join(temporaryFolder(), "root");
    session({ id: "edit" })
      .user("fix it")
      .tool("edit", { path: "tax.ts", oldText: OLD, newText: NEW }, "Replaced.")
      .writeUnder(root);
    const viewport = { width: 1920, height: 900 };
    const { page } = await openPage(root, { path: "/session/edit?find=export", viewport });
    const toggle = page.getByRole("button", { name: "Split diffs" });
    await toggle.click();
    expect(await toggle.getAttribute("aria-pressed")).toBe("true");
    const pairs = page.locator(".diff-pair");
    await pairs.first().waitFor();
    const sides = await pairs.evaluateAll((all) =>
      all.map((pair) => [...pair.querySelectorAll(".diff-side")].map((side) => side.textContent?.trim())),
    );
    expect(sides).toEqual([
      ["- // rounds down", "+ // rounds half up"].map((text) => text.replace(" ", "")),
      ["export function taxOf(total: number) {", "export function taxOf(total: number) {"],
      ["-  return Math.floor(total * 0.19);", "+  return Math.round(total * rate);"],
      ["}", "}"],
    ]);
    const [old, now] = await Promise.all(
      ["old", "new"].map((side) => page.locator(`.diff-side-${side}`).first().boundingBox()),
    );
    expect(now?.y).toBe(old?.y);
    expect(now?.x).toBeGreaterThan((old?.x ?? 0) + 300);
    // A kept line is shown twice, and its match counts once.
    await expect.poll(() => page.locator(".transcript-hits").textContent()).toBe("1 of 1");
    expect(await page.locator(".diff mark").count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    await page.reload();
    await pairs.first().waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await pairs.first().waitFor({ state: "detached" });
    expect(await toggle.count()).toBe(0);
  });

  test("a line of 1 MB is shown at once", async () => {
    const root = join(temporaryFolder(), "root");
    const line = "const a = 1; ".repeat(80_000);
    session({ id: "edit" })
      .user("fix it")
      .tool("edit", { path: "a.ts", oldText: line, newText: `${line}b` }, "Replaced.")
      .tool("edit", { path: "b.ts" }, "Replaced.", { details: { diff: `-1 ${line}\n+1 b${line}` } })
      .writeUnder(root);
    const { page } = await openPage(root, { path: "/session/edit" });
    for (const path of ["b.ts", "a.ts"]) {
      const call = page.locator(".call", { hasText: path });
      await call.locator("summary").first().click();
      await call.locator(".diff", { hasText: "const a = 1;" }).waitFor();
    }
  });
});
