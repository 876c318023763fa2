import { decoys } from "./decoys.ts";
import { echoes } from "./echoes.ts";
import { backendStories } from "./stories-backend.ts";
import { languageStories } from "./stories-languages.ts";
import { opsStories } from "./stories-ops.ts";
import { webStories } from "./stories-web.ts";
import { type StorySession, storyFactory } from "./story-session.ts";

/** The sessions that are planted among the generated ones: those that are asked for, their decoys and echoes. */
export function stories(seed: number): StorySession[] {
  const tell = storyFactory(seed);
  const asked = [webStories, backendStories, opsStories, languageStories].flatMap((tellAll) => tellAll(tell));
  return [...asked, ...decoys(tell), ...echoes(tell, asked, seed)];
}

/** Writes them below a folder, oldest first, as pi lays sessions out; gives the session ids by key. */
export function plant(folder: string, seed: number): Map<string, string> {
  const ids = new Map<string, string>();
  for (const story of stories(seed)) {
    if (ids.has(story.key)) throw new Error(`Two stories are called ${story.key}`);
    ids.set(story.key, story.id);
    story.writeUnder(folder);
  }
  return ids;
}
