/** The theme of the page. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, openPage } from "./browser.ts";

describeInBrowser("the theme button", () => {
  test.each(["light", "dark"] as const)("changes the look at its first click on a %s system", async (own) => {
    const root = join(temporaryFolder(), "sessions");
    session({ id: "one" }).user("Why?").writeUnder(root);
    const { page } = await openPage(root, { colorScheme: own });
    const button = page.getByRole("button", { name: /^Theme/ });
    const look = () => page.evaluate(() => getComputedStyle(document.body).color);
    const looks = [];
    const names = [];
    for (let click = 0; click < 4; click++) {
      await button.waitFor();
      looks.push(await look());
      names.push(await button.getAttribute("title"));
      await button.click();
    }
    const other = own === "light" ? "dark" : "light";
    expect(names).toEqual(["system", other, own, "system"].map((name) => `Theme: ${name}`));
    expect(looks[1]).not.toBe(looks[0]);
    expect(looks.slice(2)).toEqual([looks[0], looks[0]]);
  });
});
