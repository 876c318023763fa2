import type { Random } from "../random.ts";
import { type Tongue, UNSPACED, type Words } from "./words.ts";

const LEVELS = ["DEBUG", "INFO", "INFO", "INFO", "WARN", "ERROR"];
const EXTENSIONS = ["kt", "swift", "sql", "yaml", "vue", "ex", "cpp", "h", "tf", "ipynb", "lock", "css"];
const HOSTS = ["edge-7.internal", "db-replica-02", "10.44.3.19", "ip-172-31-9-4", "localhost:5432"];

/** Writes the texts of one session. A fifth of the words are from a small set of its own, as in sessions about one subject. */
export class TextWriter {
  readonly #random: Random;
  readonly #words: Words;
  readonly #subject: readonly string[];
  readonly #paths: readonly string[];

  constructor(random: Random, words: Words) {
    this.#random = random;
    this.#words = words;
    this.#subject = Array.from({ length: 30 }, () => random.pick(words.technical));
    this.#paths = Array.from({ length: 12 }, () => this.#createPath());
  }

  word(tongue: Tongue): string {
    if (this.#random.chance(0.2)) return this.#random.pick(this.#subject);
    const words = this.#words[tongue];
    // Flatter than Zipf's law: the most common word is in one of 30 places, and half of all places have a word of the first sixth.
    return words[Math.floor(words.length * this.#random.float() ** 2.6)] as string;
  }

  phrase(count: number, tongue: Tongue): string {
    const separator = UNSPACED.has(tongue) ? "" : " ";
    return Array.from({ length: count }, () => this.word(tongue)).join(separator);
  }

  /** Many short lines: lists, headings and one-line paragraphs. */
  notes(lines: number, tongue: Tongue): string {
    return Array.from({ length: lines }, () => {
      const text = this.phrase(this.#random.between(1, 9), tongue);
      return this.#random.weighted({ plain: 5, bullet: 4, heading: 1, name: 2 }) === "plain"
        ? text
        : `${this.#random.pick(["- ", "* ", "## ", "1. "])}${text} \`${this.name()}\``;
    }).join("\n");
  }

  name(): string {
    const [a, b] = [this.word("technical"), this.#random.pick(this.#subject)];
    return this.#random.pick([
      `${a}_${b}`,
      `${a}.${b}()`,
      `${b}-${a}`,
      `${a.toUpperCase()}_${b.length}`,
      `${a}::${b}`,
    ]);
  }

  path(): string {
    return this.#random.chance(0.7) ? this.#random.pick(this.#paths) : this.#createPath();
  }

  /** About `length` characters of a program's log, with identifiers that occur once. */
  log(length: number, time: number): string {
    const random = this.#random;
    let text = "";
    for (let at = time; text.length < length; at += random.below(900)) {
      const stamp = new Date(at).toISOString();
      const detail = random.weighted({ request: 4, hash: 2, id: 2, stack: 1, dots: 3 });
      text += `${stamp} ${random.pick(LEVELS)} [${random.pick(HOSTS)}] `;
      if (detail === "request")
        text += `GET /api/${this.word("technical")}/${random.below(1e6)} ${random.pick([200, 204, 301, 404, 503])} ${random.below(4000)}ms\n`;
      else if (detail === "hash") text += `sha256:${random.hex(64)} ${this.path()}\n`;
      else if (detail === "id")
        text += `${random.uuid(at)} ${this.name()} retried ${random.below(9)} times\n`;
      else if (detail === "stack")
        text += `\n\tat ${this.name()} (${this.path()}:${random.below(900)}:${random.below(80)})\n`;
      else text += `${this.phrase(3, "technical")}\n.\n.\n`;
    }
    return text;
  }

  /** About `length` characters in one of the forms that tools print. */
  output(length: number, time: number): string {
    const random = this.#random;
    const form = random.weighted({ log: 4, columns: 2, minified: 1, code: 4 });
    if (form === "log") return this.log(length, time);
    let text = "";
    while (text.length < length) {
      if (form === "columns")
        text += `${random.hex(7)}\t${random.below(1e5)}\t${this.path()}\t${this.word("german")}\n`;
      else if (form === "minified")
        text += `{"${this.name()}":"${random.base62(12)}","n":${random.below(1e9)}},`;
      else text += this.#codeLine();
    }
    return text;
  }

  #codeLine(): string {
    const random = this.#random;
    const indent = "\t".repeat(random.below(5));
    const name = this.word("technical");
    return random.pick([
      `${indent}}\n`,
      "\n",
      `${indent}let ${name} = ${this.word("technical")}?.${this.name()};\n`,
      `${indent}SELECT ${name} FROM ${this.word("technical")} WHERE id = ${random.below(9999)};\n`,
      `${indent}// ${this.phrase(4, "spanish")}\n`,
      `${indent}<${name} class="${random.pick(this.#subject)}">${this.phrase(2, "german")}</${name}>\n`,
    ]);
  }

  #createPath(): string {
    const parts = Array.from({ length: this.#random.between(1, 6) }, () => this.word("technical"));
    return `${parts.join("/")}/${this.#random.pick(this.#subject)}.${this.#random.pick(EXTENSIONS)}`;
  }
}
