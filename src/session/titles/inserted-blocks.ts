/** A message without what agents and their extensions inserted into it. */
export interface WrittenMessage {
  text: string;
  /** The names of the skills and files that were removed. */
  inserted: string[];
}

const SKILL = /^\s*<skill name="([^"]*)" location="[^"]*">\n[\s\S]*?\n<\/skill>(?:\s+|$)/;
const OPENING = /^[ \t]*<([a-z][\w-]*)(?:\s[^<>\n]*)?>/gim;
/** Names of elements with the request itself: `<user_request>`. */
const REQUEST_NAME = /^(?:user_?)?(?:request|query|task|prompt|question|message|input)$/i;
const NAME = /\b(?:name|path)="([^"]+)"/;

/** Removes skills and elements such as `<file name="…">…</file>` that begin a line. */
export function removeInsertedBlocks(message: string): WrittenMessage {
  const inserted: string[] = [];
  const withoutSkill = message.replace(SKILL, (_, name: string) => {
    inserted.push(name);
    return "";
  });
  let text = "";
  let end = 0;
  const unclosed = new Set<string>();
  for (const match of withoutSkill.matchAll(OPENING)) {
    const [tag, name = ""] = match;
    if (match.index < end || unclosed.has(name)) continue;
    const closing = `</${name}>`;
    const close = withoutSkill.indexOf(closing, match.index + tag.length);
    if (close < 0) {
      unclosed.add(name);
      continue;
    }
    const content = withoutSkill.slice(match.index + tag.length, close);
    if (REQUEST_NAME.test(name)) return { text: content, inserted };
    text += withoutSkill.slice(end, match.index);
    const file = NAME.exec(tag)?.[1];
    if (file !== undefined) inserted.push(file.split(/[\\/]/).at(-1) ?? file);
    end = close + closing.length;
  }
  return { text: text + withoutSkill.slice(end), inserted };
}
