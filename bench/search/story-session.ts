import { type Block, type Fields, text, thinking } from "../../fixtures/blocks.ts";
import { Session, type SessionOptions } from "../../fixtures/builder.ts";
import { sessionId } from "../../fixtures/names.ts";
import { Random } from "../random.ts";
import { Texts } from "../texts.ts";
import { useTool } from "../tools.ts";
import { createVocabulary, type Vocabulary } from "../vocabulary.ts";

const CODE = "/home/mina/code";

/** Where mina works: what the folders of the planted sessions are named after. */
export const PROJECTS = {
  shop: `${CODE}/storefront`,
  ledger: `${CODE}/ledger-api`,
  infra: `${CODE}/infra`,
  field: `${CODE}/field-app`,
  kit: `${CODE}/textkit`,
  pipeline: "/home/mina/code/pipeline",
  manual: `${CODE}/手册`,
} as const;

export type Project = keyof typeof PROJECTS;

/** Begins a session: its key, the project, and the day and time (UTC). */
export type CreateStory = (key: string, project: Project, when: string) => StorySession;

/** A planted session, told in the words of the bench: `user`, `think`, `say`, `run`, `fails`, `read`, `edit` … */
export class StorySession extends Session {
  /** What questions call it. */
  readonly key: string;
  readonly #random: Random;
  readonly #texts: Texts;
  #thought = "";
  /** Entries that are only chores. */
  readonly #chores = new Set<unknown>();

  constructor(key: string, options: SessionOptions, random: Random, texts: Texts) {
    super({ step: 11, ...options });
    this.key = key;
    this.#random = random;
    this.#texts = texts;
  }

  /** What the model thinks before it says or does the next thing. */
  think(thought: string): this {
    this.#thought = thought;
    return this;
  }

  say(words: string): this {
    return this.assistant(this.#opening(words));
  }

  /** The model runs a command that works. */
  run(command: string, output: string, words = ""): this {
    return this.tool("bash", { command }, output, { say: this.#opening(words) });
  }

  /** The model runs a command that fails. */
  fails(command: string, output: string, words = ""): this {
    return this.tool("bash", { command }, output, { say: this.#opening(words), isError: true });
  }

  read(path: string, content: string, words = ""): this {
    return this.tool("read", { path }, content, { say: this.#opening(words) });
  }

  edit(path: string, oldText: string, newText: string, words = ""): this {
    const output = `Successfully replaced text in ${path}.`;
    return this.tool("edit", { path, oldText, newText }, output, { say: this.#opening(words) });
  }

  create(path: string, content: string, words = ""): this {
    const output = `Successfully wrote ${content.length} bytes to ${path}`;
    return this.tool("write", { path, content }, output, { say: this.#opening(words) });
  }

  /** Some steps of other work, in made-up words: most of a real session is not what it is remembered for. */
  chores(count: number): this {
    const before = this.entries.length;
    for (let i = 0; i < count; i++) {
      const { name, arguments: args, output, isError } = useTool(this.#random, this.#texts, 2500);
      const say: Block[] = this.#random.chance(0.5) ? [text(this.#texts.sentence("english"))] : [];
      this.tool(name, args, output, { say, isError });
    }
    for (const entry of this.entries.slice(before)) this.#chores.add(entry);
    return this;
  }

  /** The entries without the chores. */
  get story(): Fields[] {
    return this.entries.filter((entry) => !this.#chores.has(entry));
  }

  /** A fork of everything so far (tell labels afterwards): a session that begins with copies of the entries. */
  forked(key: string, when: string): StorySession {
    const options = { cwd: this.cwd, timestamp: `${when}.000Z`, parentSession: this.path };
    const fork = new StorySession(key, options, this.#random, this.#texts);
    for (const entry of this.entries) fork.entry(entry);
    return fork;
  }

  #opening(words: string): Block[] {
    const blocks = [...(this.#thought ? [thinking(this.#thought)] : []), ...(words ? [text(words)] : [])];
    this.#thought = "";
    return blocks;
  }
}

/** Tells sessions, one after the other; the same seed and the same calls give the same sessions. */
export function storyFactory(seed: number): CreateStory {
  const vocabulary: Vocabulary = createVocabulary(new Random(seed));
  const projects = Object.keys(PROJECTS);
  let serial = 0;
  return (key, project, when) => {
    serial++;
    const random = new Random(seed, serial);
    const texts = new Texts(random, vocabulary, projects.indexOf(project));
    const timestamp = `${when}.000Z`;
    const options = { id: sessionId(timestamp, serial), cwd: PROJECTS[project], timestamp };
    return new StorySession(key, options, random, texts);
  };
}
