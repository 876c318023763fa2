import type { Random } from "./random.ts";
import type { Fields } from "./session-file.ts";
import type { TextGenerator } from "./texts.ts";

/** A tool call and its result. */
export interface ToolUse {
  name: string;
  arguments: Fields;
  output: string;
  details?: Fields;
  isError: boolean;
}

/** Mostly a few hundred bytes, sometimes a complete file or log, rarely 1 to 2 MB. */
function pickOutputLength(random: Random, maxLength: number): number {
  const kind = random.weighted({ usual: 9930, large: 65, huge: 5 });
  const median = { usual: 900, large: 60_000, huge: 1_400_000 }[kind];
  const sigma = { usual: 1.45, large: 0.6, huge: 0.2 }[kind];
  return Math.min(random.logNormal(median, sigma), 2_000_000, Math.max(200, maxLength));
}

/** Generates a call of a common tool; its texts are derived from a length of at most `maxLength`. */
export function generateToolCall(random: Random, texts: TextGenerator, maxLength: number): ToolUse {
  const name = random.weighted({ bash: 36, edit: 28, read: 22, grep: 10, write: 4 });
  const isError = random.chance(0.06);
  const length = pickOutputLength(random, maxLength);
  const call = { bash, edit, read, grep, write }[name](random, texts, length);
  if (!isError) return { name, ...call, isError };
  return { name, arguments: call.arguments, output: `${texts.errorMessage()}\n${texts.words(8)}`, isError };
}

type CallFields = Omit<ToolUse, "name" | "isError">;

function bash(random: Random, texts: TextGenerator, length: number): CallFields {
  const timeout = random.chance(0.2) ? { timeout: random.pick([30, 60, 120, 600]) } : {};
  return { arguments: { command: texts.command(), ...timeout }, output: texts.shellOutput(length) };
}

function read(random: Random, texts: TextGenerator, length: number): CallFields {
  const range = random.chance(0.35)
    ? { offset: random.between(1, 800), limit: random.pick([50, 100, 200]) }
    : {};
  return { arguments: { path: texts.path(), ...range }, output: texts.code(length * 3) };
}

function edit(random: Random, texts: TextGenerator, length: number): CallFields {
  const path = texts.path();
  const size = Math.min(length, random.logNormal(350, 1));
  return {
    arguments: { path, oldText: texts.code(size), newText: texts.code(size * 1.2) },
    output: `Successfully replaced text in ${path}.`,
    details: { diff: texts.diff(size * 2.4), firstChangedLine: random.between(1, 900) },
  };
}

function grep(_random: Random, texts: TextGenerator, length: number): CallFields {
  return {
    arguments: { pattern: texts.identifier(), path: texts.path(), glob: "*.ts" },
    output: texts.grepOutput(length),
  };
}

function write(random: Random, texts: TextGenerator, length: number): CallFields {
  const path = texts.path();
  const content = random.chance(0.7) ? texts.code(length * 2) : texts.prose(length * 2, "english");
  return {
    arguments: { path, content },
    output: `Successfully wrote ${content.length} bytes to ${path}`,
  };
}
