/** `/blame FILE[:LINES]`: the sessions and prompts behind lines of a file. */
import { PidexError } from "../../library/index.ts";
import type { BlameAnswer } from "../agents/answers.ts";
import { toOneLine } from "../format/safe.ts";
import { formatDateTime } from "../format/times.ts";
import { type Command, showResult, truncateLine } from "./commands.ts";

/** Maximum number of ranges of lines. */
const MAX_RANGES = 20;
/** Maximum lengths, in characters. */
const MAX_TITLE = 60;
const MAX_PROMPT = 120;

export const blame: Command = {
  name: "blame",
  description: "Show which session and prompt is behind lines of a file in git: /blame FILE[:FROM-TO]",
  async run(args, { pi, ctx, ask }) {
    const [, file = "", from, to = from] = /^(.*?)(?::(\d+)(?:-(\d+))?)?$/s.exec(args) ?? [];
    if (file === "")
      throw new PidexError("BAD_OPTION", "no file", "Name a file, or lines of it: /blame src/tax.ts:10-20");
    const lines = from === undefined ? {} : { from: Number(from), to: Number(to) };
    const isAbsolute = /^(?:[/\\~]|[a-z]:)/i.test(file);
    const { data } = await ask("blame", {
      ...{ file: isAbsolute ? file : `${ctx.cwd}/${file}`, ...lines, max_tokens: 5000 },
    });
    showResult(pi, ctx, formatBlame(file, data));
  },
};

function formatBlame(file: string, { ranges, sessions, nextLine }: BlameAnswer): string {
  const written = ranges.filter(({ session }) => session !== undefined);
  if (written.length === 0) return `No session is known to have written these lines of ${toOneLine(file)}.`;
  const titles = new Map(sessions.map(({ path, title }) => [path, truncateLine(title, MAX_TITLE)]));
  const shown = written.slice(0, MAX_RANGES);
  const more = nextLine ?? written[MAX_RANGES]?.from;
  return [
    ...shown.map(({ from, to, session = "", timestamp, confidence, prompt }) => {
      const lines = from === to ? `${from}` : `${from}-${to}`;
      const when = timestamp === undefined ? "" : `, ${formatDateTime(new Date(timestamp))}`;
      const said = prompt === undefined ? "" : `: ${truncateLine(prompt, MAX_PROMPT)}`;
      return `${lines}  "${titles.get(session)}"${when}, ${confidence}${said}`;
    }),
    ...(more === undefined ? [] : [`More lines: /blame ${toOneLine(file)}:${more}-…`]),
  ].join("\n");
}
