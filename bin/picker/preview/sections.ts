/**
 * A section of a Markdown text: `code`; `prose`, to be parsed; or `plain`, paragraphs that are too expensive to parse: the parser searches
 * for the end of each emphasis and link, which takes quadratic time.
 */
export type Section =
  | { kind: "prose" | "plain"; text: string }
  | { kind: "code"; text: string; language: string };

const FENCE = /^ {0,3}(`{3,}|~{3,})[ ]*([^`]*)$/;

/** Splits a text into sections, without the blank lines between them. */
export function splitSections(text: string): Section[] {
  const sections: Section[] = [];
  let prose: string[] = [];
  const endProse = () => {
    sections.push(...proseSections(prose));
    prose = [];
  };
  const lines = text.split("\n");
  for (let n = 0; n < lines.length; n++) {
    const line = lines[n] as string;
    const [, fence, language] = FENCE.exec(line) ?? [];
    if (fence === undefined) {
      prose.push(line);
      continue;
    }
    endProse();
    const code: string[] = [];
    for (n++; n < lines.length && !closes(lines[n] as string, fence); n++) code.push(lines[n] as string);
    sections.push({ kind: "code", text: code.join("\n"), language: (language ?? "").trim() });
  }
  endProse();
  return sections;
}

function closes(line: string, fence: string): boolean {
  const marks = line.trim();
  return marks.length >= fence.length && marks === (fence[0] as string).repeat(marks.length);
}

/** Longest paragraph that is parsed, in UTF-16 units: about two pages of a book. */
const MAX_PARAGRAPH_LENGTH = 6000;
/** Maximum number of Markdown characters in a paragraph that is parsed. */
const MAX_MARKERS = 300;
/** Maximum nesting of lists and quotations. */
const MAX_LEVELS = 20;

const MARKER = /[*_[\](){}<>`$!~\\&|@]/g;
/** A line that starts a list item, heading or table row, which emphasis cannot cross. */
const STARTS_BLOCK = /^\s*(?:[-*+] |\d{1,9}[.)] |#{1,6} |\|)/;
const TOO_DEEP = new RegExp(`^(?:\\s*(?:>|[-*+] |\\d{1,9}[.)] )){${MAX_LEVELS}}|^ {${MAX_LEVELS * 4}}`);

function proseSections(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  for (const paragraph of splitParagraphs(lines)) {
    const kind = isExpensive(paragraph) ? "plain" : "prose";
    const text = paragraph.join("\n");
    const last = sections.at(-1);
    if (last?.kind === kind) last.text += `\n\n${text}`;
    else sections.push({ kind, text });
  }
  return sections;
}

/** Splits lines into paragraphs at blank lines. */
function splitParagraphs(lines: readonly string[]): string[][] {
  const paragraphs: string[][] = [];
  let isOpen = false;
  for (const line of lines) {
    const isBlank = line.trim() === "";
    if (!isBlank && isOpen) paragraphs.at(-1)?.push(line);
    else if (!isBlank) paragraphs.push([line]);
    isOpen = !isBlank;
  }
  return paragraphs;
}

/** Whether a paragraph takes too long to parse. */
function isExpensive(paragraph: readonly string[]): boolean {
  let [length, markers] = [0, 0];
  for (const line of paragraph) {
    if (STARTS_BLOCK.test(line)) [length, markers] = [0, 0];
    length += line.length;
    if (length > MAX_PARAGRAPH_LENGTH) return true;
    markers += line.match(MARKER)?.length ?? 0;
    if (markers > MAX_MARKERS || TOO_DEEP.test(line)) return true;
  }
  return false;
}
