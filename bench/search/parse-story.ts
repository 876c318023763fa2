import type { CreateStory, Project, StorySession } from "./story-session.ts";

/**
 * A session in a few lines: `> ` is the user, `$ command => output` a command that works, `! command => output`
 * one that fails, `~ 3` chores; anything else the model says.
 */
export function parseStory(
  tell: CreateStory,
  key: string,
  project: Project,
  when: string,
  lines: readonly string[],
): StorySession {
  const told = tell(key, project, when);
  for (const line of lines) {
    const rest = line.slice(2);
    const [command = "", output = ""] = rest.split(" => ");
    if (line.startsWith("> ")) told.user(rest);
    else if (line.startsWith("$ ")) told.run(command, output);
    else if (line.startsWith("! ")) told.fails(command, output);
    else if (line.startsWith("~ ")) told.chores(Number(rest));
    else told.say(line);
  }
  return told;
}
