import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../../../bin/web/serve.ts";
import { session } from "../../../fixtures/builder.ts";
import { BUILT_PAGE } from "../../built.ts";
import { addFile } from "../../library/hub/hub-files.ts";
import { hasPostgres } from "../../store/postgres/databases.ts";
import { temporaryFolder } from "../../temporary.ts";
import { startHub } from "../hub/hubs.ts";
import { describeInBrowser, launchBrowser } from "./browser.ts";

describeInBrowser("the page of a hub in a browser", () => {
  test.skipIf(!hasPostgres)("says whose sessions it shows, and hides what it cannot do", async () => {
    const path = join(temporaryFolder(), "till.jsonl");
    session({ id: "till" }).user("Round the tax.").assistant("Rounded.").write(path);
    await using hub = await startHub();
    await addFile(hub, hub.owner, path);
    const server = await serve({ hub: { url: hub.url, token: hub.owner.token }, pageFolder: BUILT_PAGE });
    onTestFinished(() => server.close());
    const context = await (await launchBrowser()).newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    await page.goto(server.createLink().href);
    await page.getByText(`Sessions of ${new URL(hub.url).host}. Read-only.`).waitFor();
    const views = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    expect(await views.allTextContents()).toEqual(["Sessions", "Usage", "Insights"]);
    await views.getByText("Insights").click();
    await page.locator(".insights-empty").waitFor(); // the session is older than the period
    await page.goBack();
    await page.getByRole("link", { name: "Round the tax." }).first().click();
    await page.getByText("Rounded.").first().waitFor();
    await page.getByText(hub.owner.machine, { exact: true }).waitFor();
    expect(await page.getByTitle("Rename").count()).toBe(0);
    expect(await page.getByTitle("Label this entry").count()).toBe(0);
    expect(await page.getByText("Resume").count()).toBe(0);
    await page.getByText("⋯").click();
    await page.getByText("Export…").waitFor();
    expect(await page.getByText("Move to trash").count()).toBe(0);
    expect(refused).toEqual([]);
  });
});
