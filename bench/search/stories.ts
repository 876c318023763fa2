import { createDecoys } from "./decoys.ts";
import { createEchoes } from "./echoes.ts";
import { backendStories } from "./stories-backend.ts";
import { languageStories } from "./stories-languages.ts";
import { opsStories } from "./stories-ops.ts";
import { webStories } from "./stories-web.ts";
import { createStoryFactory, type StorySession } from "./story-session.ts";

/** The sessions that are planted among the generated ones: stories, decoys and echoes. */
export function createStories(seed: number): StorySession[] {
  const createStory = createStoryFactory(seed);
  const stories = [webStories, backendStories, opsStories, languageStories].flatMap((create) =>
    create(createStory),
  );
  return [...stories, ...createDecoys(createStory), ...createEchoes(createStory, stories, seed)];
}

/** Writes the planted sessions to a root. Returns their ids by key. */
export function plantStories(folder: string, seed: number): Map<string, string> {
  const ids = new Map<string, string>();
  for (const story of createStories(seed)) {
    if (ids.has(story.key)) throw new Error(`Two stories have the key ${story.key}`);
    ids.set(story.key, story.id);
    story.writeUnder(folder);
  }
  return ids;
}
