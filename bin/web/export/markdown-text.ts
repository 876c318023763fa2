/** Embeds session text in Markdown so that it can't inject markup: no HTML, and nothing that loads remote content. */
import MarkdownIt, { type Token } from "markdown-it";
import { toSafeText } from "../../format/bounded-text.ts";
import { toOneLine } from "../../format/safe.ts";

/** Longer texts were probably pasted and become code blocks, in UTF-16 units. */
const MAX_PROSE_LENGTH = 64_000;

const parser = new MarkdownIt({ html: true, linkify: false, maxNesting: 40 });
parser.validateLink = () => true;

/** Markdown that someone wrote, with HTML and images neutralized; as a code block if that doesn't make it safe. */
export function toSafeMarkdown(text: string): string {
  const source = toSafeText(text).trim();
  if (source.length > MAX_PROSE_LENGTH) return toCodeBlock(source);
  const prose = withoutMarkup(source);
  return isHarmless(parser.parse(prose, {})) ? prose : toCodeBlock(source);
}

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;

/**
 * Lowers headings below those of the export, and escapes HTML and images outside of code. This is approximate:
 * `isHarmless` checks the result.
 */
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

/** Whether a link is safe: http, https, mailto, or a relative path, which leads nowhere from an export. */
function isOutward(address: string): boolean {
  return /^(?:https?:|mailto:)/i.test(address) || !/^[^/?#]*:|^\/\//.test(address);
}

/** A code block whose fence is longer than any in the text, so that the text can't end it. */
export function toCodeBlock(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n+$/, "")}\n${fence}`;
}

/** Inline code. */
export function toInlineCode(text: string): string {
  const line = toOneLine(text);
  if (line === "") return "";
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = "`".repeat(longest + 1);
  return `${mark} ${line} ${mark}`;
}

/** Plain text on one line, with all Markdown escaped. */
export function escapeMarkdown(text: string): string {
  return toOneLine(text)
    .replace(/[\\`*_[\]|~#!]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/:(?=\/\/)/g, "\\:");
}
