/**
 * Markdown in sections: code, which needs no reading, what is worth reading as markdown, and paragraphs that would take a
 * markdown parser so long that the picker would stand still (it looks for the end of each emphasis and link again and again).
 */
export type Section =
  | { kind: "prose" | "plain"; text: string }
  | { kind: "code"; text: string; language: string };

const FENCE = /^ {0,3}(`{3,}|~{3,})[ ]*([^`]*)$/;

/** The sections of a text, in order; without the blank lines between them. */
export function sectionsOf(text: string): Section[] {
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

/** Most of a paragraph, in UTF-16 units: a page of a book has half of it. */
const MOST_OF_A_PARAGRAPH = 6000;
/** Most characters of one paragraph that may begin or end emphasis, links and the like. */
const MOST_SIGNS = 300;
/** How deep lists and quotations may stand in each other. */
const MOST_LEVELS = 20;

const SIGN = /[*_[\](){}<>`$!~\\&|@]/g;
/** A line that begins something of its own, so that emphasis does not reach into it. */
const BEGINS_ANEW = /^\s*(?:[-*+] |\d{1,9}[.)] |#{1,6} |\|)/;
const TOO_DEEP = new RegExp(`^(?:\\s*(?:>|[-*+] |\\d{1,9}[.)] )){${MOST_LEVELS}}|^ {${MOST_LEVELS * 4}}`);

function proseSections(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  for (const paragraph of paragraphsOf(lines)) {
    const kind = isDear(paragraph) ? "plain" : "prose";
    const text = paragraph.join("\n");
    const last = sections.at(-1);
    if (last?.kind === kind) last.text += `\n\n${text}`;
    else sections.push({ kind, text });
  }
  return sections;
}

/** Lines that stand together, with blank ones between them. */
function paragraphsOf(lines: readonly string[]): string[][] {
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

function isDear(paragraph: readonly string[]): boolean {
  let [length, signs] = [0, 0];
  for (const line of paragraph) {
    if (BEGINS_ANEW.test(line)) [length, signs] = [0, 0];
    length += line.length;
    if (length > MOST_OF_A_PARAGRAPH) return true;
    signs += line.match(SIGN)?.length ?? 0;
    if (signs > MOST_SIGNS || TOO_DEEP.test(line)) return true;
  }
  return false;
}
