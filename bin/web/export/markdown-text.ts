/** Texts of sessions inside of Markdown, in which they can be no markup of their own: no HTML, nothing that is fetched. */
import MarkdownIt, { type Token } from "markdown-it";
import { shown } from "../../format/bounded-text.ts";
import { oneLine } from "../../format/safe.ts";

/** Longer texts were pasted, not written: they become code. */
const MOST_PROSE = 64_000;

const reader = new MarkdownIt({ html: true, linkify: false, maxNesting: 40 });
reader.validateLink = () => true;

/** What somebody wrote as Markdown, as far as that is harmless wherever it is shown; else as a block of code. */
export function proseMarkdown(text: string): string {
  const whole = shown(text).trim();
  if (whole.length > MOST_PROSE) return fenced(whole);
  const prose = withoutMarkup(whole);
  return isHarmless(reader.parse(prose, {})) ? prose : fenced(whole);
}

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;

/** Headings one below ours; HTML and pictures as text, but where code is. What is missed is found by `isHarmless`. */
function withoutMarkup(text: string): string {
  let fence: string | undefined;
  const lines = text.split("\n").map((line) => {
    const mark = FENCE.exec(line)?.[0].trim();
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return line;
    }
    if (mark !== undefined) {
      fence = mark;
      return line;
    }
    return line
      .replace(/^(#{1,4}) /, "##$1 ")
      .split(/(`[^`\n]+`)/)
      .map((part, n) =>
        n % 2 === 1 ? part : part.replace(/<(?=[a-z/!?])/gi, "&lt;").replaceAll("![", "\\!["),
      )
      .join("");
  });
  return fence === undefined ? lines.join("\n") : `${lines.join("\n")}\n${fence}`;
}

function isHarmless(tokens: readonly Token[]): boolean {
  return tokens.every((token) => {
    if (token.type === "html_block" || token.type === "html_inline" || token.type === "image") return false;
    if (token.type === "link_open" && !isOutward(String(token.attrGet("href") ?? ""))) return false;
    return !token.children || isHarmless(token.children);
  });
}

/** Also what has no scheme: a path leads nowhere from here. */
function isOutward(address: string): boolean {
  return /^(?:https?:|mailto:)/i.test(address) || !/^[^/?#]*:|^\/\//.test(address);
}

/** A block of code that ends where its text does, whatever stands in it. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n+$/, "")}\n${fence}`;
}

/** Code in a line. */
export function inlineCode(text: string): string {
  const line = oneLine(text);
  if (line === "") return "";
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = "`".repeat(longest + 1);
  return `${mark} ${line} ${mark}`;
}

/** Words on one line that mean nothing but themselves. */
export function plainMarkdown(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]|~#!]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/:(?=\/\/)/g, "\\:");
}
