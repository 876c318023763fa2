/**
 * Sessions that only echo the stories, as weekly lists do: files that changed, errors that were seen, what was worked
 * on. They are made of what the stories hold, not of what is asked, and most are newer than the story.
 */
import { Random } from "../random.ts";
import type { CreateStory, Project, StorySession } from "./story-session.ts";

const WEEKS = 12;
const LINES = 14;
const PROJECTS_OF_LISTS: readonly Project[] = ["shop", "ledger", "infra", "field", "kit", "pipeline"];

/** The strings an echo may draw from: paths, first lines of failures, first sentences of people. */
interface Heard {
  paths: string[];
  errors: string[];
  wishes: string[];
}

interface Told {
  role?: string;
  isError?: boolean;
  content?: { type: string; text?: string; arguments?: { path?: string } }[];
}

export function echoes(tell: CreateStory, stories: readonly StorySession[], seed: number): StorySession[] {
  const random = new Random(seed, 10_000);
  const heard = listen(stories);
  const some = (lines: readonly string[]) =>
    Array.from({ length: LINES }, () => random.pick(lines)).filter((line, n, all) => all.indexOf(line) === n);
  return Array.from({ length: WEEKS }, (_, week) => {
    const day = new Date(Date.UTC(2026, 2, 6) + week * 21 * 86400e3).toISOString().slice(0, 10);
    const project = random.pick(PROJECTS_OF_LISTS);
    const changes = some(heard.paths).map((path) => ` ${path} | ${random.between(1, 40)} ++--`);
    return [
      tell(`e-files-${week}`, project, `${day}T17:00:00`)
        .user("Which files changed in all projects this month?")
        .run("for p in ~/code/*; do git -C $p log --stat --since='1 month'; done", changes.join("\n"))
        .chores(2)
        .say(`${changes.length} files, most of them once.`),
      tell(`e-errors-${week}`, project, `${day}T17:20:00`)
        .user("And which errors did people see? One line each.")
        .run("node scripts/list-errors.js --month", some(heard.errors).join("\n"))
        .chores(1)
        .say("None of them new."),
      tell(`e-work-${week}`, project, `${day}T17:40:00`)
        .user("Sum up what was asked this month, in people's own words.")
        .say(
          some(heard.wishes)
            .map((wish) => `- ${wish}`)
            .join("\n"),
        )
        .chores(1),
    ];
  }).flat();
}

function listen(stories: readonly StorySession[]): Heard {
  const heard: Heard = { paths: [], errors: [], wishes: [] };
  for (const { story } of stories) {
    const messages = story.map(({ message }) => (message ?? {}) as Told);
    const texts = (message: Told | undefined) => (message?.content ?? []).flatMap(({ text }) => text ?? []);
    const [wish = ""] = texts(messages.find(({ role }) => role === "user"));
    heard.wishes.push(wish.split(/(?<=[.?!。？])\s/)[0] ?? wish);
    for (const message of messages) {
      heard.paths.push(...(message.content ?? []).flatMap(({ arguments: args }) => args?.path ?? []));
      if (message.isError)
        heard.errors.push(...texts(message).flatMap((text) => text.split("\n").slice(0, 2)));
      if (message.role === "user") {
        heard.errors.push(
          ...texts(message).flatMap((text) => text.split("\n").filter((line) => /error\b/i.test(line))),
        );
      }
    }
  }
  return heard;
}
