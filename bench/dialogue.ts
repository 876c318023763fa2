import type { UsageGenerator } from "./models.ts";
import type { SessionPlan } from "./plan.ts";
import type { Random } from "./random.ts";
import type { Fields, SessionFile } from "./session-file.ts";
import type { Language, Texts } from "./texts.ts";
import type { ToolUse } from "./tools.ts";

/** The inputs and the output file of a session. */
export interface Setting {
  random: Random;
  texts: Texts;
  file: SessionFile;
  plan: SessionPlan;
  /** Target size of the file, in bytes. */
  target: number;
}

/** Appends messages of a user, a model and its tools, with their usage. */
export class Dialogue {
  readonly #setting: Setting;
  readonly #meter: UsageGenerator;

  constructor(setting: Setting, meter: UsageGenerator) {
    this.#setting = setting;
    this.#meter = meter;
  }

  /** Maximum bytes of one output or image, so that the file does not exceed its size. */
  get room(): number {
    return (this.#setting.target - this.#setting.file.bytes) / 3;
  }

  /** Maximum characters of a message: small sessions have short ones. */
  get #longest(): number {
    return Math.max(200, this.room);
  }

  /** Draws a language: mostly the session's, sometimes English. */
  language(): Language {
    return this.#setting.random.chance(0.8) ? this.#setting.plan.language : "english";
  }

  /** A message of the user: `text`, or random text. Returns the entry's id. */
  ask(text?: string): string {
    const { file, random, texts } = this.#setting;
    file.pause(90);
    const words =
      text ?? texts.prose(Math.min(random.logNormal(120, 1), 4000, this.#longest), this.language());
    const blocks = [{ type: "text", text: words }, ...this.#image(0.2)];
    // pi writes blocks; other programs often write a plain string.
    const content = blocks.length === 1 && random.chance(0.05) ? words : blocks;
    this.#meter.grow(words.length);
    return file.appendMessage("user", { content });
  }

  /** The user runs a command with `!` or `!!`. */
  runShell(): void {
    const { file, random, texts } = this.#setting;
    file.pause(20);
    const output = texts.shellOutput(Math.min(random.logNormal(400, 1.2), Math.max(200, this.room)));
    const exitCode = random.chance(0.85) ? 0 : 1;
    const hidden = random.chance(0.2) ? { excludeFromContext: true } : {};
    file.appendMessage("bashExecution", {
      command: texts.command(),
      output,
      exitCode,
      cancelled: false,
      truncated: false,
      ...hidden,
    });
  }

  /** The model calls tools in parallel and gets their results. */
  callTools(uses: readonly ToolUse[]): { callId: string; resultId: string } {
    const { file, random } = this.#setting;
    const ids = uses.map(() => `toolu_01${random.base62(22)}`);
    const calls = uses.map((use, i) => ({
      type: "toolCall",
      id: ids[i],
      name: use.name,
      arguments: use.arguments,
    }));
    const callId = this.#reply([...this.#thoughts(0.3), ...this.#remark(0.5), ...calls], "toolUse");
    let resultId = "";
    uses.forEach((use, i) => {
      file.pause(1);
      this.#meter.grow(use.output.length);
      resultId = file.appendMessage("toolResult", {
        toolCallId: ids[i],
        toolName: use.name,
        content: [{ type: "text", text: use.output }, ...this.#image(use.name === "read" ? 0.08 : 0)],
        ...(use.details && { details: use.details }),
        isError: use.isError,
      });
    });
    return { callId, resultId };
  }

  /** The model ends its turn; rarely, the user or the provider interrupts it. */
  answer(): void {
    const { random, texts } = this.#setting;
    const fate = random.weighted({ stop: 95, aborted: 3, error: 2 });
    if (fate === "aborted") this.#reply([], "aborted", { errorMessage: "Request was aborted." });
    else if (fate === "error")
      this.#reply([], "error", { errorMessage: `529 overloaded: ${texts.failure()}` });
    else {
      const text = texts.prose(Math.min(random.logNormal(500, 0.9), 12_000, this.#longest), this.language());
      this.#reply([...this.#thoughts(0.35), { type: "text", text }], "stop");
    }
  }

  #reply(content: readonly Fields[], stopReason: string, more: Fields = {}): string {
    const { file, random } = this.#setting;
    const { api, provider, model } = this.#meter.model;
    file.pause(6);
    const output = Math.ceil(JSON.stringify(content).length / 4);
    const usage = this.#meter.bill(output, random.between(1, 12));
    this.#meter.grow(output * 4);
    return file.appendMessage("assistant", { content, api, provider, model, usage, stopReason, ...more });
  }

  /** A screenshot, in sessions with images. */
  #image(probability: number): Fields[] {
    const { random, plan } = this.#setting;
    if (!plan.hasImages || !random.chance(probability)) return [];
    const length = Math.min(random.logNormal(120_000, 0.7), Math.max(2000, this.room));
    return [{ type: "image", data: random.base64(length), mimeType: "image/png" }];
  }

  #thoughts(probability: number): Fields[] {
    const { random, texts } = this.#setting;
    if (!random.chance(probability)) return [];
    const thinking = texts.prose(Math.min(random.logNormal(350, 0.9), 8000, this.#longest), "english");
    return [{ type: "thinking", thinking, thinkingSignature: random.base64(250 + thinking.length) }];
  }

  #remark(probability: number): Fields[] {
    const { random, texts } = this.#setting;
    return random.chance(probability) ? [{ type: "text", text: texts.sentence(this.language()) }] : [];
  }
}
