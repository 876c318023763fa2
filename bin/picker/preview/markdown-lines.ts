import { Markdown, type MarkdownTheme, setCapabilityOverrides } from "@earendil-works/pi-tui";
import { toTerminalText, truncateText } from "../../format/bounded-text.ts";
import type { Theme } from "../../format/theme.ts";
import { type RenderOptions, renderDiff } from "./output-lines.ts";
import { type Section, splitSections } from "./sections.ts";

/** Longer texts, in UTF-16 code units, were probably pasted and are shown verbatim. */
const MAX_MARKDOWN_LENGTH = 64_000;

/** Renders Markdown from a session. Lines outside of prose may be wider than `width`. */
export function renderMarkdown(text: string, options: RenderOptions): string[] {
  const { start, more } = truncateText(text);
  const whole = toTerminalText(start).trimEnd();
  const sections: Section[] =
    whole.length > MAX_MARKDOWN_LENGTH ? [{ kind: "plain", text: whole }] : splitSections(whole);
  const lines: string[] = [];
  for (const section of sections) {
    const shown = sectionLines(section, options);
    if (shown.length === 0) continue;
    if (lines.length > 0) lines.push("");
    for (const line of shown) lines.push(line);
  }
  if (more !== "") lines.push(options.theme.style("dim", more));
  return lines;
}

function sectionLines(section: Section, options: RenderOptions): string[] {
  switch (section.kind) {
    case "plain":
      return section.text.split("\n");
    case "code":
      return codeLines(section, options);
    default:
      return proseLines(section.text, options);
  }
}

function codeLines({ text, language }: Extract<Section, { kind: "code" }>, options: RenderOptions): string[] {
  const { theme } = options;
  const lines =
    language === "diff" || language === "patch"
      ? renderDiff(text, { ...options, isExpanded: true })
      : text.split("\n").map((line) => theme.style("green", line));
  return [
    theme.style("dim", `\`\`\`${language}`),
    ...lines.map((line) => `  ${line}`),
    theme.style("dim", "```"),
  ];
}

/**
 * A noncharacter, inserted where the Markdown component would otherwise parse, and hide, something: image addresses and link
 * definitions.
 */
const SEPARATOR = "\ufdd0";
const HIDDEN = /^( {0,3}\[[^\]\n]*\])(?=:)|(!)(?=\[)/gm;

function proseLines(text: string, { width, theme }: RenderOptions): string[] {
  // Terminal hyperlinks would hide addresses, so that users could not see what they open.
  setCapabilityOverrides({ hyperlinks: false, images: null });
  const marked = text.replaceAll(SEPARATOR, "\ufffd").replace(HIDDEN, `$1$2${SEPARATOR}`);
  const component = new Markdown(marked, 0, 0, markdownTheme(theme), undefined, {
    preserveBackslashEscapes: true,
    preserveOrderedListMarkers: true,
    renderLatex: false,
  });
  const lines = component.render(width).map((line) => line.replaceAll(SEPARATOR, "").trimEnd());
  while (lines.at(-1) === "") lines.pop();
  while (lines[0] === "") lines.shift();
  return lines;
}

function markdownTheme(theme: Theme): MarkdownTheme {
  const styled =
    (format: Parameters<Theme["style"]>[0]) =>
    (text: string): string =>
      theme.style(format, text);
  return {
    heading: styled("cyan"),
    link: styled("blue"),
    linkUrl: styled("dim"),
    code: styled("yellow"),
    codeBlock: styled("green"),
    codeBlockBorder: styled("dim"),
    quote: styled("dim"),
    quoteBorder: styled("dim"),
    hr: styled("dim"),
    listBullet: styled("cyan"),
    bold: styled("bold"),
    italic: styled("italic"),
    strikethrough: styled("strikethrough"),
    underline: styled("underline"),
  };
}
