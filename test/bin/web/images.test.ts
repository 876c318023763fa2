/** Images of a session in a real browser. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { image, text } from "../../../fixtures/blocks.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

describeInBrowser("images in the page", () => {
  test("of a subagent open large, too", async () => {
    const root = join(temporaryFolder(), "sessions");
    const folder = join(root, "--home-ada-shop--");
    const run = session({ id: "run" })
      .user([text("Look into it."), image()])
      .assistant("Nothing is wrong.");
    const runPath = run.write(join(folder, "runs", "a", "b", "session.jsonl"));
    const talk = session({ id: "starter" }).user("Have it looked into.");
    talk.tool("subagent", { agent: "scout" }, "ok", {
      details: { results: [{ agent: "scout", sessionFile: runPath }] },
    });
    talk.assistant("It was looked into.").write(join(folder, talk.fileName));
    const { page } = await openPage(await serveSynced(root), { path: "/session/starter" });
    await page.locator(".subagent > summary").click();
    await page.getByRole("button", { name: /Show large/ }).click();
    await page.getByRole("dialog", { name: "Image" }).getByRole("img").waitFor();
    await page.keyboard.press("Escape");
  });

  test("open large; arrow keys show the others of the entry, and closing restores the focus", async () => {
    const root = join(temporaryFolder(), "root");
    session({ id: "images" })
      .user([text("Look:"), image(), text("and"), image(), image()])
      .assistant("I see.")
      .user([text("One more:"), image()])
      .writeUnder(root);
    const { page } = await openPage(await serveSynced(root), { path: "/session/images" });
    const buttons = page.getByRole("button", { name: /PNG image in the session, line 2.* Show large/ });
    const dialog = page.getByRole("dialog");
    await buttons.nth(1).click();
    await dialog.getByRole("img").waitFor();
    const title = () => dialog.getByRole("heading").textContent();
    expect(await title()).toBe("Image 2 of 3");
    expect(await findViolations(page)).toEqual([]);
    const titles: (string | null)[] = [];
    for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"]) {
      await page.keyboard.press(key);
      await dialog.getByRole("img").waitFor();
      titles.push(await title());
    }
    expect(titles).toEqual(["Image 3 of 3", "Image 1 of 3", "Image 3 of 3"]);
    await dialog.getByRole("button", { name: "Previous image" }).click();
    expect(await title()).toBe("Image 2 of 3");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    const hasFocus = () => buttons.nth(1).evaluate((button) => button === document.activeElement);
    expect(await hasFocus()).toBe(true);

    await page.keyboard.press("Enter");
    await dialog.getByRole("img").click(); // a click on the image itself closes nothing
    await dialog.locator(".image-stage").click({ position: { x: 5, y: 5 } });
    await dialog.waitFor({ state: "detached" });
    expect(await hasFocus()).toBe(true);

    await page.getByRole("button", { name: /line 4/ }).click();
    expect(await title()).toBe("Image");
    await page.keyboard.press("ArrowRight");
    expect(await title()).toBe("Image");
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
  });
});
