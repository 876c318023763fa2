/** The brief of a session on the page. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

const KEY = `ghp_${"x7Kq2mN9pR4sT6vW8yZ1aB3cD5eF"}12345678`;

/** A session with an abandoned branch, whose last entry is `leaf`. */
function writeTill() {
  const root = join(temporaryFolder(), "sessions");
  const till = session({ id: "till" })
    .user("The till adds the tax twice at checkout. Find out why.", { id: "first" })
    .assistant("`addTax` gets gross prices.", { id: "why" })
    .user("Then remove it from the receipt instead.", { id: "detour" })
    .assistant("Removed from the receipt.", { id: "leaf" })
    .branch("why")
    .user(`Pass net prices, and deploy with ${KEY}`, { id: "net" })
    .assistant("It gets net prices now.");
  return { root, path: till.writeUnder(root) };
}

test("the route answers with the brief of a branch, secrets masked, and its length", async () => {
  const { root, path } = writeTill();
  const served = await serveSynced(root);
  const get = async (params: Record<string, string>) => {
    const response = await served.fetch(`/api/handoff?${new URLSearchParams(params)}`);
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const current = await get({ session: "till" });
  expect(current).toMatchObject({ status: 200, body: { tokens: expect.any(Number) } });
  expect(current.body.text).toContain(`Session ${path}\n`);
  expect(current.body.text).toContain("- Pass net prices, and deploy with ");
  expect(current.body.text).not.toContain(KEY);
  const other = await get({ session: "till", leaf: "leaf" });
  expect(other.body.text).toContain("- Then remove it from the receipt instead.");
  expect(other.body.text).not.toContain("- Pass net prices");
  expect(await get({ session: "none" })).toMatchObject({
    status: 404,
    body: { error: { code: "NOT_FOUND" } },
  });
  expect(await get({ session: "till", leaf: "x" })).toMatchObject({ status: 404 });
  expect(await get({})).toMatchObject({ status: 400, body: { error: { code: "BAD_OPTION" } } });
});

describeInBrowser("the brief of a session", () => {
  test("is copied by a key and from the menu, for the displayed branch", async () => {
    const { root } = writeTill();
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page, served } = await openPage(root, { path: "/session/till", permissions });
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    const message = page.getByRole("status").getByText(/^Copied the handoff brief \([\d,]+ tokens\)\.$/);
    await page.locator("p", { hasText: "It gets net prices now." }).waitFor();
    await page.keyboard.press("h");
    await message.waitFor();
    expect(await copied()).toContain("- Pass net prices");

    await page.goto(`${served.origin}/session/till?leaf=leaf`);
    await page.locator("p", { hasText: "Removed from the receipt." }).waitFor();
    await page.getByLabel("More", { exact: true }).click();
    await page.getByRole("button", { name: "Copy handoff brief" }).click();
    await message.waitFor();
    expect(await copied()).toContain("- Then remove it from the receipt instead.");
    expect(await copied()).not.toContain("- Pass net prices");
  });

  test("is not put into the message if the browser refuses to copy it", async () => {
    const { root } = writeTill();
    const { page } = await openPage(root, { path: "/session/till", permissions: [] });
    await page.locator("p", { hasText: "It gets net prices now." }).waitFor();
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
    });
    await page.keyboard.press("h");
    await page
      .getByRole("status")
      .getByText("This browser does not let the page copy: run pidex handoff instead", { exact: true })
      .waitFor();
  });
});
