/**
 * Sessions that repeat strings of the stories, such as weekly lists of changed files, errors and requests. They are drawn from
 * the stories, not from the questions, and most are newer than the story.
 */
import { Random } from "../random.ts";
import type { CreateStory, Project, StorySession } from "./story-session.ts";

const WEEKS = 12;
const LINES_PER_LIST = 14;
const PROJECTS: readonly Project[] = ["shop", "ledger", "infra", "field", "kit", "pipeline"];

/** Strings of the stories: paths, first lines of errors, first sentences of user messages. */
interface StoryStrings {
  paths: string[];
  errors: string[];
  requests: string[];
}

interface Message {
  role?: string;
  isError?: boolean;
  content?: { type: string; text?: string; arguments?: { path?: string } }[];
}

export function createEchoes(
  createStory: CreateStory,
  stories: readonly StorySession[],
  seed: number,
): StorySession[] {
  const random = new Random(seed, 10_000);
  const strings = collectStrings(stories);
  const pickLines = (lines: readonly string[]) =>
    Array.from({ length: LINES_PER_LIST }, () => random.pick(lines)).filter(
      (line, n, all) => all.indexOf(line) === n,
    );
  return Array.from({ length: WEEKS }, (_, week) => {
    const day = new Date(Date.UTC(2026, 2, 6) + week * 21 * 86400e3).toISOString().slice(0, 10);
    const project = random.pick(PROJECTS);
    const changes = pickLines(strings.paths).map((path) => ` ${path} | ${random.between(1, 40)} ++--`);
    return [
      createStory(`e-files-${week}`, project, `${day}T17:00:00`)
        .user("Which files changed in all projects this month?")
        .run("for p in ~/code/*; do git -C $p log --stat --since='1 month'; done", changes.join("\n"))
        .chores(2)
        .say(`${changes.length} files, most of them once.`),
      createStory(`e-errors-${week}`, project, `${day}T17:20:00`)
        .user("And which errors did people see? One line each.")
        .run("node scripts/list-errors.js --month", pickLines(strings.errors).join("\n"))
        .chores(1)
        .say("None of them new."),
      createStory(`e-work-${week}`, project, `${day}T17:40:00`)
        .user("Sum up what was asked this month, in people's own words.")
        .say(
          pickLines(strings.requests)
            .map((request) => `- ${request}`)
            .join("\n"),
        )
        .chores(1),
    ];
  }).flat();
}

function collectStrings(stories: readonly StorySession[]): StoryStrings {
  const strings: StoryStrings = { paths: [], errors: [], requests: [] };
  for (const { storyEntries } of stories) {
    const messages = storyEntries.map(({ message }) => (message ?? {}) as Message);
    const texts = (message: Message | undefined) =>
      (message?.content ?? []).flatMap(({ text }) => text ?? []);
    const [request = ""] = texts(messages.find(({ role }) => role === "user"));
    strings.requests.push(request.split(/(?<=[.?!。？])\s/)[0] ?? request);
    for (const message of messages) {
      strings.paths.push(...(message.content ?? []).flatMap(({ arguments: args }) => args?.path ?? []));
      if (message.isError)
        strings.errors.push(...texts(message).flatMap((text) => text.split("\n").slice(0, 2)));
      if (message.role === "user") {
        strings.errors.push(
          ...texts(message).flatMap((text) => text.split("\n").filter((line) => /error\b/i.test(line))),
        );
      }
    }
  }
  return strings;
}
