/** A slash command, with its arguments: `/model`, `/compact keep the tests`; not a path such as `/home/ada/tax.ts`. */
const COMMAND = /^\s*\/[a-z][\w:.-]*(?=\s|$)/i;

/** A skill that pi inserted into a message, and what the user wrote after its name. */
const SKILL = /^\s*<skill name="[^"]*" location="[^"]*">\n[\s\S]*?\n<\/skill>(?:\s+|$)/;

/** The part of a user's message that can be the title of its session; undefined for slash commands, and for skills without further text. */
export function toTitleText(message: string): string | undefined {
  return COMMAND.test(message) ? undefined : message.replace(SKILL, "") || undefined;
}
