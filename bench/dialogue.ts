import type { UsageGenerator } from "./models.ts";
import type { SessionPlan } from "./plan.ts";
import type { Random } from "./random.ts";
import type { Fields, SessionFile } from "./session-file.ts";
import type { Language, TextGenerator } from "./texts.ts";
import type { ToolUse } from "./tools.ts";

/** The inputs and the output file of a session. */
export interface SessionSetup {
  random: Random;
  texts: TextGenerator;
  file: SessionFile;
  plan: SessionPlan;
  /** Target size of the file, in bytes. */
  target: number;
}

/** Writes messages of a user, a model and its tools, with their usage. */
export class Dialogue {
  readonly #setup: SessionSetup;
  readonly #meter: UsageGenerator;

  constructor(setup: SessionSetup, meter: UsageGenerator) {
    this.#setup = setup;
    this.#meter = meter;
  }

  /** Maximum bytes of one output or image, so that the file does not exceed its size. */
  get maxBytes(): number {
    return (this.#setup.target - this.#setup.file.bytes) / 3;
  }

  /** Maximum characters of a message: small sessions have short ones. */
  get #maxTextLength(): number {
    return Math.max(200, this.maxBytes);
  }

  /** Mostly the session's language, sometimes English. */
  pickLanguage(): Language {
    return this.#setup.random.chance(0.8) ? this.#setup.plan.language : "english";
  }

  /** Adds a user message with this text, or random text. Returns the entry's id. */
  addUserMessage(text?: string): string {
    const { file, random, texts } = this.#setup;
    file.advanceTime(90);
    const words =
      text ?? texts.prose(Math.min(random.logNormal(120, 1), 4000, this.#maxTextLength), this.pickLanguage());
    const blocks = [{ type: "text", text: words }, ...this.#screenshot(0.2)];
    // pi writes blocks, but some programs write a plain string.
    const content = blocks.length === 1 && random.chance(0.05) ? words : blocks;
    this.#meter.grow(words.length);
    return file.appendMessage("user", { content });
  }

  /** Adds a command that the user ran with `!` or `!!`. */
  addShellCommand(): void {
    const { file, random, texts } = this.#setup;
    file.advanceTime(20);
    const output = texts.shellOutput(Math.min(random.logNormal(400, 1.2), Math.max(200, this.maxBytes)));
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

  /** Adds a response with parallel tool calls, and their results. */
  addToolCalls(uses: readonly ToolUse[]): { callId: string; resultId: string } {
    const { file, random } = this.#setup;
    const ids = uses.map(() => `toolu_01${random.base62(22)}`);
    const calls = uses.map((use, i) => ({
      type: "toolCall",
      id: ids[i],
      name: use.name,
      arguments: use.arguments,
    }));
    const callId = this.#addResponse([...this.#thinking(0.3), ...this.#comment(0.5), ...calls], "toolUse");
    let resultId = "";
    uses.forEach((use, i) => {
      file.advanceTime(1);
      this.#meter.grow(use.output.length);
      resultId = file.appendMessage("toolResult", {
        toolCallId: ids[i],
        toolName: use.name,
        content: [{ type: "text", text: use.output }, ...this.#screenshot(use.name === "read" ? 0.08 : 0)],
        ...(use.details && { details: use.details }),
        isError: use.isError,
      });
    });
    return { callId, resultId };
  }

  /** Adds the last response of a turn. Some are aborted by the user or fail. */
  endTurn(): void {
    const { random, texts } = this.#setup;
    const stopReason = random.weighted({ stop: 95, aborted: 3, error: 2 });
    if (stopReason === "aborted") this.#addResponse([], "aborted", { errorMessage: "Request was aborted." });
    else if (stopReason === "error")
      this.#addResponse([], "error", { errorMessage: `529 overloaded: ${texts.errorMessage()}` });
    else {
      const text = texts.prose(
        Math.min(random.logNormal(500, 0.9), 12_000, this.#maxTextLength),
        this.pickLanguage(),
      );
      this.#addResponse([...this.#thinking(0.35), { type: "text", text }], "stop");
    }
  }

  #addResponse(content: readonly Fields[], stopReason: string, otherFields: Fields = {}): string {
    const { file, random } = this.#setup;
    const { api, provider, model } = this.#meter.model;
    file.advanceTime(6);
    const output = Math.ceil(JSON.stringify(content).length / 4);
    const usage = this.#meter.bill(output, random.between(1, 12));
    this.#meter.grow(output * 4);
    return file.appendMessage("assistant", {
      content,
      api,
      provider,
      model,
      usage,
      stopReason,
      ...otherFields,
    });
  }

  /** A screenshot, in sessions with images. */
  #screenshot(probability: number): Fields[] {
    const { random, plan } = this.#setup;
    if (!plan.hasImages || !random.chance(probability)) return [];
    const length = Math.min(random.logNormal(120_000, 0.7), Math.max(2000, this.maxBytes));
    return [{ type: "image", data: random.base64(length), mimeType: "image/png" }];
  }

  #thinking(probability: number): Fields[] {
    const { random, texts } = this.#setup;
    if (!random.chance(probability)) return [];
    const thinking = texts.prose(Math.min(random.logNormal(350, 0.9), 8000, this.#maxTextLength), "english");
    return [{ type: "thinking", thinking, thinkingSignature: random.base64(250 + thinking.length) }];
  }

  #comment(probability: number): Fields[] {
    const { random, texts } = this.#setup;
    return random.chance(probability) ? [{ type: "text", text: texts.sentence(this.pickLanguage()) }] : [];
  }
}
