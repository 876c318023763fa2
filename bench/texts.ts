import type { Random } from "./random.ts";
import { capitalize, type Vocabulary } from "./vocabulary.ts";

export type Language = "english" | "chinese" | "japanese" | "russian";

const EMOJI = ["🎉", "🚀", "✅", "❌", "🔥", "🤔", "👍", "🐛", "✨", "😅", "👩‍💻", "🇺🇦"];
const ERROR_PREFIXES = [
  "expected",
  "TypeError:",
  "ENOENT:",
  "AssertionError:",
  "timeout after",
  "cannot find",
];

/** Generates texts of users, models and tools in one project, from the words of a vocabulary. */
export class TextGenerator {
  readonly #random: Random;
  readonly #vocabulary: Vocabulary;
  /** Offset to the ranks of names and paths, so that each project has different frequent ones. */
  readonly #rankOffset: number;

  constructor(random: Random, vocabulary: Vocabulary, project: number) {
    this.#random = random;
    this.#vocabulary = vocabulary;
    this.#rankOffset = project * 61;
  }

  word(language: Language = "english"): string {
    const words = this.#vocabulary[language];
    return words[this.#random.zipf(words.length)] as string;
  }

  identifier(): string {
    return this.#pickName(this.#vocabulary.identifiers);
  }

  path(): string {
    return this.#pickName(this.#vocabulary.paths);
  }

  words(count: number, language: Language = "english"): string {
    const hasSpaces = language === "english" || language === "russian";
    let text = this.word(language);
    for (let i = 1; i < count; i++) {
      const name = this.#random.chance(0.06) ? this.#mention() : this.word(language);
      text += hasSpaces ? ` ${name}` : name;
    }
    return text;
  }

  sentence(language: Language): string {
    const text = capitalize(this.words(this.#random.between(4, 18), language));
    const emoji = this.#random.chance(0.03) ? ` ${this.#random.pick(EMOJI)}` : "";
    const end = language === "chinese" || language === "japanese" ? "。" : ".";
    return `${text}${end}${emoji}`;
  }

  /** About `length` characters of sentences, in paragraphs and lists. */
  prose(length: number, language: Language): string {
    let text = this.sentence(language);
    while (text.length < length) {
      text += this.#random.weighted({ " ": 75, "\n\n": 15, "\n- ": 10 });
      text += this.sentence(language);
    }
    return text;
  }

  code(length: number): string {
    return this.#lines(length, () => this.#codeLine());
  }

  /** Output of a shell command. */
  shellOutput(length: number): string {
    const kind = this.#random.weighted({ tests: 30, listing: 20, trace: 15, diff: 20, log: 15 });
    if (kind === "tests") return this.#lines(length, () => this.#testLine());
    if (kind === "listing") return this.#lines(length, () => this.#listingLine());
    if (kind === "trace") return `${this.errorMessage()}\n${this.#lines(length, () => this.#traceLine())}`;
    if (kind === "diff") return this.diff(length);
    return this.#lines(length, () => this.#logLine());
  }

  grepOutput(length: number): string {
    return this.#lines(length, () => `${this.path()}:${this.#random.between(1, 900)}:${this.#codeLine()}`);
  }

  diff(length: number): string {
    let number = this.#random.between(1, 400);
    return this.#lines(length, () => {
      number++;
      return `${this.#random.pick([" ", " ", "+", "-"])}${number} ${this.#codeLine()}`;
    });
  }

  command(): string {
    const kind = this.#random.weighted({ test: 30, search: 25, git: 20, list: 15, script: 10 });
    if (kind === "test") return `npx vitest run ${this.path()} 2>&1 | tail -${this.#random.between(20, 80)}`;
    if (kind === "search") return `rg -n "${this.identifier()}" ${this.path()} | head -40`;
    if (kind === "git") return this.#random.pick(["git status --short", "git diff", "git log --oneline -20"]);
    if (kind === "list") return `ls -la $(dirname ${this.path()})`;
    return `node --eval '${this.identifier()}(${JSON.stringify(this.word())})'`;
  }

  errorMessage(): string {
    return `${this.#random.pick(ERROR_PREFIXES)} ${this.words(5)} (${this.identifier()})`;
  }

  #mention(): string {
    const name = this.#random.chance(0.7) ? this.identifier() : this.path();
    return this.#random.chance(0.6) ? `\`${name}\`` : name;
  }

  #pickName(names: readonly string[]): string {
    return names[(this.#random.zipf(names.length) + this.#rankOffset) % names.length] as string;
  }

  #lines(length: number, line: () => string): string {
    let text = line();
    while (text.length < length) text += `\n${line()}`;
    return text;
  }

  #codeLine(): string {
    const indent = "\t".repeat(this.#random.below(4));
    const name = () => this.identifier();
    switch (this.#random.below(10)) {
      case 0:
        return "";
      case 1:
        return `${indent}}`;
      case 2:
        return `${indent}// ${this.words(this.#random.between(4, 12))}`;
      case 3:
        return `import { ${name()}, ${name()} } from "./${this.path()}";`;
      case 4:
        return `export function ${name()}(${this.word()}: ${name()}, ${this.word()}: string): ${name()} {`;
      case 5:
        return `${indent}if (${this.word()}.${name()} !== ${this.#random.below(100)}) return ${name()};`;
      case 6:
        return `${indent}throw new Error("${this.words(6)}");`;
      case 7:
        return `${indent}${name()}.${this.word()}(${name()}, { ${this.word()}: "${this.word()}" });`;
      default:
        return `${indent}const ${name()} = await ${name()}(${this.word()});`;
    }
  }

  #testLine(): string {
    const mark = this.#random.chance(0.95) ? "✓" : "✗";
    return ` ${mark} ${this.path()} > ${this.words(this.#random.between(4, 9))} ${this.#random.below(900)}ms`;
  }

  #listingLine(): string {
    const size = String(this.#random.below(200_000)).padStart(8);
    return `-rw-r--r--  1 ada  staff ${size} Mar ${this.#random.between(10, 28)} 14:0${this.#random.below(10)} ${this.path()}`;
  }

  #traceLine(): string {
    return `    at ${this.identifier()} (${this.path()}:${this.#random.between(1, 900)}:${this.#random.between(1, 80)})`;
  }

  #logLine(): string {
    const level = this.#random.pick(["DEBUG", "INFO", "INFO", "WARN", "ERROR"]);
    return `[${level}] ${this.identifier()} ${this.words(6)} id=${this.#random.hex(12)} took=${this.#random.below(5000)}ms`;
  }
}
