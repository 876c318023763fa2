import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { WorkingRepository } from "../../query/git/working-repository.ts";
import { describeInBrowser, findViolations, openPage } from "./browser.ts";

const BASE = ["export const rate = 0.19;"];
const ADDED = ["", "export const gross = (net) => net * (1 + rate);"];

describeInBrowser("the commits of a session", () => {
  test("are listed by a key, with the lines of the session", async () => {
    const repository = new WorkingRepository();
    repository.write("tax.js", BASE);
    repository.commit("Start");
    const by = session({ id: "till", cwd: repository.path, timestamp: repository.tick() }).user("Add gross");
    by.tool("edit", { path: "tax.js", oldText: BASE[0], newText: [...BASE, ...ADDED].join("\n") }, "Done.", {
      timestamp: repository.tick(),
    });
    repository.write("tax.js", [...BASE, ...ADDED]);
    const commit = repository.commit("Add <b>gross</b> prices");
    const root = join(repository.folder, "sessions");
    by.writeUnder(root);
    session({ id: "idle", cwd: repository.path }).user("Explain it").writeUnder(root);
    session({ id: "moved", cwd: join(repository.folder, "gone") })
      .user("Hello")
      .writeUnder(root);
    const { page, served } = await openPage(root, { path: "/session/till" });
    await page.getByText("Add gross", { exact: true }).first().waitFor();
    await page.keyboard.press("c");
    const dialog = page.getByRole("dialog", { name: "Git commits" });
    await dialog.getByText("1 commit in").waitFor();
    expect(await dialog.locator("tbody tr").allInnerTexts()).toEqual([
      expect.stringMatching(new RegExp(`^${commit.slice(0, 10)} Add <b>gross</b> prices\\s+2\\s`)),
    ]);
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await page.goto(`${served.origin}/session/idle`);
    await page.getByLabel("More", { exact: true }).click();
    await page.getByRole("button", { name: "Git commits…" }).click();
    await dialog.getByText("contains edits of this session").waitFor();

    const response = await served.fetch("/api/commits?session=moved");
    expect(response.status).toBe(400);
    expect(((await response.json()) as { error: { message: string } }).error.message).toContain(
      "does not exist",
    );
  });
});
