import { Markdown, type MarkdownTheme, setCapabilityOverrides } from "@earendil-works/pi-tui";
import { clean, startOf } from "../../format/bounded-text.ts";
import type { Theme } from "../../format/theme.ts";
import { diffLines } from "./output-lines.ts";
import { type Section, sectionsOf } from "./sections.ts";

interface Options {
  width: number;
  theme: Theme;
}

/** Longer texts were pasted, not written: they are shown as they are. */
const MOST_MARKDOWN = 64_000;

/** A text from the session as markdown. Lines may be wider than the pane where they are not prose. */
export function markdownLines(text: string, options: Options): string[] {
  const { start, more } = startOf(text);
  const whole = clean(start).trimEnd();
  const sections: Section[] =
    whole.length > MOST_MARKDOWN ? [{ kind: "plain", text: whole }] : sectionsOf(whole);
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

function sectionLines(section: Section, options: Options): string[] {
  switch (section.kind) {
    case "plain":
      return section.text.split("\n");
    case "code":
      return codeLines(section, options);
    default:
      return proseLines(section.text, options);
  }
}

function codeLines(
  { text, language }: Extract<Section, { kind: "code" }>,
  { theme, width }: Options,
): string[] {
  const lines =
    language === "diff" || language === "patch"
      ? diffLines(text, { theme, width, unfolded: true })
      : text.split("\n").map((line) => theme.style("green", line));
  return [
    theme.style("dim", `\`\`\`${language}`),
    ...lines.map((line) => `  ${line}`),
    theme.style("dim", "```"),
  ];
}

/**
 * A character that no text holds. It stands where the markdown component would take something for what it then does not
 * show: the address of a picture, and of links that are told elsewhere.
 */
const NOTHING = "\ufdd0";
const UNSHOWN = /^( {0,3}\[[^\]\n]*\])(?=:)|(!)(?=\[)/gm;

function proseLines(text: string, { width, theme }: Options): string[] {
  // An address that is hidden behind words is one nobody sees before it is opened.
  setCapabilityOverrides({ hyperlinks: false, images: null });
  const marked = text.replaceAll(NOTHING, "\ufffd").replace(UNSHOWN, `$1$2${NOTHING}`);
  const component = new Markdown(marked, 0, 0, markdownTheme(theme), undefined, {
    preserveBackslashEscapes: true,
    preserveOrderedListMarkers: true,
    renderLatex: false,
  });
  const lines = component.render(width).map((line) => line.replaceAll(NOTHING, "").trimEnd());
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
