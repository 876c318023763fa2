/** The demo's stories: JSON files of steps with placeholders, and the function that fills one in. */
import type { ModelName } from "./models.ts";
import type { Random } from "./random.ts";
import blog from "./stories/blog.json" with { type: "json" };
import closings from "./stories/closings.json" with { type: "json" };
import infra from "./stories/infra.json" with { type: "json" };
import languages from "./stories/languages.json" with { type: "json" };
import lanterns from "./stories/lanterns.json" with { type: "json" };
import notebooks from "./stories/notebooks.json" with { type: "json" };
import readmes from "./stories/projects.json" with { type: "json" };
import shop from "./stories/shop.json" with { type: "json" };
import tally from "./stories/tally.json" with { type: "json" };

/** One step of a story: its kind and its texts. */
export type Step =
  | [kind: "user" | "think" | "say" | "answer" | "failure" | "compact", text: string]
  | [kind: "label" | "mark", name: string]
  | [kind: "model", model: ModelName]
  | [kind: "bash" | "failing" | "shell", command: string, output: string]
  | [kind: "read" | "write", path: string, content: string]
  | [kind: "missing", path: string]
  | [kind: "grep", pattern: string, path: string, output: string]
  | [kind: "edit", path: string, before: string, after: string, line?: number | string]
  | [kind: "back", mark: string, summary: string]
  | [kind: "subagent", agent: string, task: string, model: ModelName, steps: Step[], answer: string];

/** A value of a placeholder. The second of two is `{{name.1}}`. */
export type Word = string | string[];

export interface Story {
  project: string;
  /** Each combination of these words gives one session. */
  vary: Record<string, Word[]>;
  steps: Step[];
  name?: string;
  tags?: string[];
  /** What a fork adds after the last answer. */
  fork?: { name: string; steps: Step[] };
}

/** The README of each project, by the name of its folder. */
export const READMES: Record<string, string> = readmes;

/** The stories, alternating between files so that lists begin with several projects. The newest session has the first. */
export const STORIES: readonly Story[] = alternate(
  [shop, blog, infra, tally, notebooks, lanterns, languages].map((stories) => stories as unknown as Story[]),
);

function alternate(files: readonly Story[][]): Story[] {
  const longest = Math.max(...files.map((stories) => stories.length));
  return Array.from({ length: longest }, (_, round) =>
    files.flatMap((stories) => stories[round] ?? []),
  ).flat();
}

/** A final exchange in the language of the story. */
export function pickClosing({ project, tags }: Story, random: Random): Step[] {
  const byLanguage = closings as unknown as Record<string, [Step[], ...Step[][]]>;
  const language = tags?.includes("日本語") ? "日本語" : project;
  const choices = byLanguage[language] ?? (byLanguage.english as [Step[], ...Step[][]]);
  return fillPlaceholders(choices.length === 1 ? choices[0] : random.pick(choices), {}, random);
}

/**
 * Replaces the placeholders in every text of a value: `{{name}}` by the word of that name, `{{Name}}` by the same with a
 * capital letter, `{{3-9}}` by a number from 3 to 9, `{{#7}}` by 7 hexadecimal digits.
 */
export function fillPlaceholders<T>(value: T, words: Record<string, Word>, random: Random): T {
  if (typeof value === "string") return filledText(value, words, random) as T;
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, words, random)) as T;
  return value;
}

function filledText(text: string, words: Record<string, Word>, random: Random): string {
  return text.replace(
    /\{\{(?:(\d+)-(\d+)|#(\d+)|(\w+)(?:\.(\d))?)\}\}/g,
    (_, low, high, digits, name, form) => {
      if (low !== undefined) return String(random.between(Number(low), Number(high)));
      if (digits !== undefined) return random.hex(Number(digits));
      const key = `${name[0].toLowerCase()}${name.slice(1)}`;
      const word = [words[key] ?? []].flat()[Number(form ?? 0)];
      if (word === undefined) throw new Error(`the story has no word for {{${name}}}`);
      return key === name ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`;
    },
  );
}
