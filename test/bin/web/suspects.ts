/** What content of sessions must never become in the page. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { INJECTED_CLASS } from "./hostile-root.ts";

/** Traces of session content: elements, attributes and addresses that the page never creates, and marks of scripts. */
export const SUSPECTS = `({
  elements: [...document.querySelectorAll(
    ".${INJECTED_CLASS}, script:not([src^='/assets/']), iframe, object, embed, base, frame, form[action], meta[http-equiv]:not([http-equiv=Content-Security-Policy]), body style, use, foreignObject",
  )].map((element) => element.outerHTML.slice(0, 200)),
  handlers: [...document.querySelectorAll("*")].flatMap((element) =>
    [...element.attributes].filter(({ name }) => /^on|^srcdoc$|^formaction$/.test(name)).map(({ name }) => element.tagName + " " + name)),
  addresses: [...document.querySelectorAll("[href], [src]")]
    .map((element) => element.getAttribute("href") ?? element.getAttribute("src"))
    .filter((address) => !/^(\\/(?!\\/)|#view$|#problems$|https?:|mailto:|data:image\\/(png|jpeg|gif|webp);)/.test(address)),
  styles: [...document.querySelectorAll("[style]")].map(({ style }) => style.cssText).filter((text) => /url|expression|@|\\/\\//.test(text)),
  marks: [window.hostile, Object.prototype.hostile, document.title === "hostile" || undefined].filter((mark) => mark !== undefined),
})`;

export const NOTHING = { elements: [], handlers: [], addresses: [], styles: [], marks: [] };

export async function expectHarmless(page: Page, where: string): Promise<void> {
  expect([where, await page.evaluate(SUSPECTS)]).toEqual([where, NOTHING]);
}
