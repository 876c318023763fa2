import type { Random } from "../random.ts";
import type { Fields, SessionFile } from "../session-file.ts";
import { Billing } from "./billing.ts";
import type { VariedPlan } from "./plan.ts";
import type { Words } from "./words.ts";
import { TextWriter } from "./writer.ts";

/** A session while it is written: appends entries with plausible times and costs. */
export class VariedSession {
  readonly file: SessionFile;
  readonly random: Random;
  readonly plan: VariedPlan;
  readonly texts: TextWriter;
  readonly billing: Billing;

  constructor(file: SessionFile, random: Random, words: Words, plan: VariedPlan) {
    this.file = file;
    this.random = random;
    this.plan = plan;
    this.texts = new TextWriter(random, words);
    this.billing = new Billing(random);
  }

  /** Bytes until the file has the planned size. */
  get left(): number {
    return this.plan.bytes - this.file.bytes;
  }

  append(type: string, fields: Fields): string {
    this.#wait(5000);
    return this.file.append(type, fields);
  }

  message(role: string, fields: Fields): string {
    this.#wait(role === "user" ? 400_000 : 9000);
    return this.file.appendMessage(role, fields);
  }

  say(text: string): string {
    // A plain string in a third of the messages, as older versions write.
    const isPlain = this.random.chance(0.33);
    return this.message("user", { content: isPlain ? text : [{ type: "text", text }] });
  }

  reply(text: string, calls: readonly Fields[] = []): string {
    const blocks: Fields[] = text ? [{ type: "text", text }] : [];
    if (this.random.chance(0.15) && this.left > 3000)
      blocks.unshift({
        type: "thinking",
        thinking: this.texts.notes(6, "technical"),
        thinkingSignature: this.random.base64(300),
      });
    return this.message("assistant", {
      content: [...blocks, ...calls],
      ...this.billing.model,
      usage: this.billing.bill(this.random.between(4, 6000)),
      stopReason:
        calls.length > 0 ? "toolUse" : this.random.weighted({ stop: 90, length: 3, aborted: 5, error: 2 }),
      ...(this.random.chance(0.3) && { durationMs: this.random.below(90_000), thinkingLevel: "high" }),
    });
  }

  shell(output: string): string {
    const command = `${this.texts.name()} --${this.texts.word("technical")} ${this.texts.path()}`;
    const exitCode = this.random.pick([0, 0, 1, 137]);
    return this.message("bashExecution", { command, output, exitCode, cancelled: false, truncated: false });
  }

  /** Advances the clock by a time around `ms`, by hours in one of 300 cases. */
  #wait(ms: number): void {
    const hours = this.random.chance(1 / 300) ? this.random.between(1, 60) : 0;
    this.file.time += 1 + this.random.below(ms) + hours * 3_600_000;
  }

  switchModel(): string {
    const { provider, model } = this.billing.switchModel();
    return this.append("model_change", { provider, modelId: model });
  }
}
