import { type Block, type Fields, text, thinking } from "../../fixtures/blocks.ts";
import { Session, type SessionOptions } from "../../fixtures/builder.ts";
import { sessionId } from "../../fixtures/names.ts";
import { Random } from "../random.ts";
import { TextGenerator } from "../texts.ts";
import { generateToolCall } from "../tools.ts";
import { createVocabulary, type Vocabulary } from "../vocabulary.ts";

const CODE = "/home/mina/code";

/** Working directories of the planted sessions. */
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

/** Creates a session. `when` is its start in UTC, without milliseconds. */
export type CreateStory = (key: string, project: Project, when: string) => StorySession;

/** A planted session, with methods that add the usual messages and tool calls. */
export class StorySession extends Session {
  /** Identifies the session in questions. */
  readonly key: string;
  readonly #random: Random;
  readonly #texts: TextGenerator;
  #pendingThinking = "";
  /** Entries added by `chores`. */
  readonly #chores = new Set<unknown>();

  constructor(key: string, options: SessionOptions, random: Random, texts: TextGenerator) {
    super({ step: 11, ...options });
    this.key = key;
    this.#random = random;
    this.#texts = texts;
  }

  /** Adds thinking to the next response. */
  think(thought: string): this {
    this.#pendingThinking = thought;
    return this;
  }

  say(words: string): this {
    return this.assistant(this.#textBlocks(words));
  }

  /** Adds a successful command. */
  run(command: string, output: string, words = ""): this {
    return this.tool("bash", { command }, output, { say: this.#textBlocks(words) });
  }

  /** Adds a failing command. */
  fails(command: string, output: string, words = ""): this {
    return this.tool("bash", { command }, output, { say: this.#textBlocks(words), isError: true });
  }

  read(path: string, content: string, words = ""): this {
    return this.tool("read", { path }, content, { say: this.#textBlocks(words) });
  }

  edit(path: string, oldText: string, newText: string, words = ""): this {
    const output = `Successfully replaced text in ${path}.`;
    return this.tool("edit", { path, oldText, newText }, output, { say: this.#textBlocks(words) });
  }

  create(path: string, content: string, words = ""): this {
    const output = `Successfully wrote ${content.length} bytes to ${path}`;
    return this.tool("write", { path, content }, output, { say: this.#textBlocks(words) });
  }

  /** Adds unrelated generated steps, because most of a real session is not what it is remembered for. */
  chores(count: number): this {
    const before = this.entries.length;
    for (let i = 0; i < count; i++) {
      const { name, arguments: args, output, isError } = generateToolCall(this.#random, this.#texts, 2500);
      const say: Block[] = this.#random.chance(0.5) ? [text(this.#texts.sentence("english"))] : [];
      this.tool(name, args, output, { say, isError });
    }
    for (const entry of this.entries.slice(before)) this.#chores.add(entry);
    return this;
  }

  /** The entries without chores. */
  get storyEntries(): Fields[] {
    return this.entries.filter((entry) => !this.#chores.has(entry));
  }

  /** Creates a session that begins with copies of all entries so far. Labels would be copied too, so add them afterwards. */
  forkAs(key: string, when: string): StorySession {
    const options = { cwd: this.cwd, timestamp: `${when}.000Z`, parentSession: this.path };
    const fork = new StorySession(key, options, this.#random, this.#texts);
    for (const entry of this.entries) fork.entry(entry);
    return fork;
  }

  #textBlocks(words: string): Block[] {
    const blocks = [
      ...(this.#pendingThinking ? [thinking(this.#pendingThinking)] : []),
      ...(words ? [text(words)] : []),
    ];
    this.#pendingThinking = "";
    return blocks;
  }
}

/** The same seed and the same calls give the same sessions. */
export function createStoryFactory(seed: number): CreateStory {
  const vocabulary: Vocabulary = createVocabulary(new Random(seed));
  const projects = Object.keys(PROJECTS);
  let serial = 0;
  return (key, project, when) => {
    serial++;
    const random = new Random(seed, serial);
    const texts = new TextGenerator(random, vocabulary, projects.indexOf(project));
    const timestamp = `${when}.000Z`;
    const options = { id: sessionId(timestamp, serial), cwd: PROJECTS[project], timestamp };
    return new StorySession(key, options, random, texts);
  };
}
