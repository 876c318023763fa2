/** Every state of the page without data has a way on. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { describeInBrowser, openPage } from "./browser.ts";
import { serveSynced } from "./serve-synced.ts";

async function served() {
  const root = join(temporaryFolder(), "root");
  session({ id: "one" }).user("Why?").assistant("So.").writeUnder(root);
  return serveSynced(root);
}

describeInBrowser("a view without data", () => {
  test("says that an address leads nowhere, and links to the sessions", async () => {
    const { page, served: server, complaints } = await openPage(await served(), { path: "/sessions" });
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    // The newest sessions, and a search.
    await page.getByRole("link", { name: "Why?" }).waitFor();
    await page.getByRole("searchbox", { name: "Search sessions" }).fill("why");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).search).toBe("?q=why");
    await page.goBack();
    const statusOf = async (path: string) => (await page.goto(new URL(path, server.origin).href))?.status();
    // A path that cannot be decoded would break the page.
    expect([await statusOf("/%ff"), await page.textContent("body")]).toEqual([404, "404: page not found.\n"]);
    expect(await statusOf("/nothing/there")).toBe(404);
    const program = await server.fetch("/nothing");
    expect([program.status, await program.text()]).toEqual([404, "404: page not found.\n"]);
    await page.getByRole("link", { name: "All sessions", exact: true }).click();
    await page.getByRole("link", { name: "Why?" }).waitFor();
    await page.goto(new URL("/session/nosuch", page.url()).href);
    await page.getByRole("heading", { name: "Session not found" }).waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(await page.textContent("main")).not.toMatch(/@last|pidex list/);
    await page.getByRole("link", { name: "Trash" }).click();
    await page.getByRole("heading", { name: "Trash" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "All sessions", exact: true }).click();
    await page.getByRole("link", { name: "Why?" }).waitFor();
    expect(complaints.splice(0).every((message) => message.includes("404"))).toBe(true);
  });

  test("says what is wrong with an address in the words of a page", async () => {
    const { page, complaints } = await openPage(await served(), { path: "/?since=notadate" });
    await page
      .getByText("Correct it in the address of this page, or choose another value.")
      .first()
      .waitFor();
    expect(await page.textContent("main")).not.toContain("omit it");
    expect(complaints.splice(0).every((message) => message.includes("400"))).toBe(true);
  });

  test("offers queries that find something, with their numbers", async () => {
    const root = join(temporaryFolder(), "root");
    for (const id of ["one", "two"])
      session({ id })
        .user(`Read it, ${id}`)
        .tool("read", { path: "src/tax-rates.ts" }, "export const RATE = 19;")
        .writeUnder(root);
    const { page } = await openPage(await serveSynced(root), { path: "/?q=file%3Atax+tool%3Aread" });
    const offers = page.locator(".wider li");
    await expect
      .poll(() => offers.allTextContents())
      .toEqual(["file:*tax* tool:read 2 sessions", "tool:read 2 sessions"]);
    await offers.first().getByRole("button").click();
    await expect.poll(() => page.locator(".result").count()).toBe(2);
    await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("file:*tax* tool:read");
  });

  test("names the nearest values of a filter that no session has", async () => {
    const root = join(temporaryFolder(), "root");
    session({ id: "one", cwd: "/home/ada/shop-front" }).user("Why?").writeUnder(root);
    const { page } = await openPage(await serveSynced(root), { path: "/?q=project%3Ashop+role%3Auser" });
    await page.getByText("No session has the project “shop”. Did you mean shop-front?").waitFor();
    await page.getByRole("button", { name: "shop-front" }).click();
    await expect.poll(() => page.locator(".result").count()).toBe(1);
    await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("project:shop-front role:user");
  });

  test("offers no search of the files for filters alone", async () => {
    const { page } = await openPage(await served(), { path: "/?q=since%3Atomorrow" });
    await page.getByText("No sessions match “since:tomorrow”.").waitFor();
    expect(await page.getByRole("button", { name: "Search the files themselves" }).count()).toBe(0);
    await page.getByRole("combobox", { name: "Search sessions" }).fill("nosuchword");
    await page.getByRole("button", { name: "Search the files themselves" }).waitFor();
  });

  test("continues a scan that stopped", async () => {
    const root = join(temporaryFolder(), "root");
    const long = session({ id: "long" });
    for (let n = 0; n < 1200; n++) long.user(`Needle ${n}`).assistant(`Needle ${n}`);
    long.writeUnder(root);
    session({ id: "old", timestamp: "2020-01-01T09:00:00.000Z" })
      .user("Needle", { timestamp: "2020-01-01T09:00:00.000Z" })
      .writeUnder(root);
    const { page } = await openPage(await serveSynced(root), { path: "/?q=re%3ANeedle" });
    await page.getByText(/stopped at 2,000 matches/).waitFor();
    await page.getByRole("button", { name: "Continue search" }).click();
    await page.getByRole("status").getByText("2 sessions", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Continue search" }).count()).toBe(0);
  });

  test("says that its files could not be loaded, if the server was stopped before it was opened", async () => {
    const { page, complaints } = await openPage(await served());
    await page.getByRole("link", { name: "Why?" }).waitFor();
    await page.route("**/assets/**", (route) => route.abort());
    await page.getByRole("link", { name: "Usage" }).click();
    await page.getByRole("heading", { name: "This view could not be loaded" }).waitFor();
    await page.unroute("**/assets/**");
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { name: "Usage", exact: true }).waitFor();
    expect(complaints.splice(0).every((message) => message.includes("ERR_FAILED"))).toBe(true);
  });

  test.each([
    ["/", "list", "Why?"],
    ["/session/one", "session", "Why?"],
    ["/session/one", "entries", "So."],
    ["/health", "problems", "No problems"],
    ["/usage", "usage", "Cost by day"],
  ])("%s can be loaded again after %s failed", async (path, route, text) => {
    const server = await served();
    const { page, complaints } = await openPage(server);
    await page.getByRole("link", { name: "Why?" }).waitFor();
    await page.route(`**/api/${route}?**`, (request) => request.abort());
    await page.route(`**/api/${route}`, (request) => request.abort());
    await page.goto(new URL(path, server.origin).href);
    await page.getByText("pidex serve does not respond").first().waitFor();
    await expect.poll(() => page.getByRole("alert").count()).toBe(1);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText(text).first().waitFor();
    await page.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
    expect(complaints.splice(0).every((message) => message.includes("ERR_FAILED"))).toBe(true);
  });
});
