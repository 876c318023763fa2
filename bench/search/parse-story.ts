import type { CreateStory, Project, StorySession } from "./story-session.ts";

/**
 * Creates a session from lines: `> text` is a user message, `$ command => output` a command, `! command => output` a failing
 * one, `~ 3` three chores, and everything else a response.
 */
export function parseStory(
  createStory: CreateStory,
  key: string,
  project: Project,
  when: string,
  lines: readonly string[],
): StorySession {
  const story = createStory(key, project, when);
  for (const line of lines) {
    const rest = line.slice(2);
    const [command = "", output = ""] = rest.split(" => ");
    if (line.startsWith("> ")) story.user(rest);
    else if (line.startsWith("$ ")) story.run(command, output);
    else if (line.startsWith("! ")) story.fails(command, output);
    else if (line.startsWith("~ ")) story.chores(Number(rest));
    else story.say(line);
  }
  return story;
}
