import type { Fields } from "../session-file.ts";
import { appendExtra } from "./extras.ts";
import type { VariedSession } from "./session.ts";

const MAX_STEPS_PER_LOOP = 40;
const MAX_SUBAGENTS = 3;

export interface SubagentRun {
  path: string;
  model: string;
  nanoDollars: number;
  tokens: { input: number; output: number };
  end: number;
}

/** Writes the session of a subagent that starts at a time in Unix milliseconds. */
export type RunSubagent = (run: number, start: number) => SubagentRun;

/** Writes entries until the file has the planned size. Returns the ids of the entries that contain the needles, in order. */
export function writeSession(session: VariedSession, runSubagent?: RunSubagent): string[] {
  return new SessionWriter(session, runSubagent).write();
}

class SessionWriter {
  readonly #session: VariedSession;
  readonly #runSubagent: RunSubagent | undefined;
  #runs = 0;

  constructor(session: VariedSession, runSubagent: RunSubagent | undefined) {
    this.#session = session;
    this.#runSubagent = runSubagent;
  }

  write(): string[] {
    const { plan, random, texts } = this.#session;
    if (random.chance(0.5)) this.#session.switchModel();
    const needleIds = plan.needles.map(({ kind, text }) => {
      const content = `${texts.phrase(3, plan.tongue)} ${text} ${texts.phrase(3, plan.tongue)}`;
      const id = kind === "error" ? this.#session.shell(content) : this.#session.say(content);
      this.#session.reply(texts.phrase(5, "technical"));
      return id;
    });
    do {
      this.#turn();
      if (plan.version === 3 && this.#session.left > 600 && random.chance(0.35)) appendExtra(this.#session);
    } while (this.#session.left > 0);
    return needleIds;
  }

  #turn(): void {
    const { random, texts, plan } = this.#session;
    const { tongue } = plan;
    if (plan.shape === "shell" && random.chance(0.7)) {
      this.#session.shell(texts.output(this.#outputLength(), this.#session.file.time));
      return;
    }
    if (plan.version === 2 && random.chance(0.3))
      this.#session.message("hookMessage", {
        customType: "reminder",
        content: texts.phrase(6, tongue),
        display: true,
      });
    this.#ask();
    if (plan.shape === "question") this.#session.reply(texts.notes(random.between(3, 25), tongue));
    else if (plan.shape === "chat") this.#session.reply(texts.phrase(random.between(1, 14), tongue));
    else this.#loop();
  }

  #ask(): void {
    const { random, texts, plan } = this.#session;
    const text = random.chance(0.1)
      ? texts.notes(8, plan.tongue)
      : texts.phrase(random.between(1, 8), plan.tongue);
    if (this.#session.left < 150_000 || !random.chance(0.06)) {
      this.#session.say(text);
      return;
    }
    const data = random.base64(random.between(40_000, Math.min(900_000, this.#session.left)));
    const image = { type: "image", data, mimeType: random.pick(["image/png", "image/webp"]) };
    this.#session.message("user", { content: [{ type: "text", text }, image] });
  }

  /** Up to forty steps of one to six parallel calls, then an answer. */
  #loop(): void {
    const { random, texts, plan } = this.#session;
    const steps = random.between(1, MAX_STEPS_PER_LOOP);
    for (let step = 0; step < steps && this.#session.left > 2000; step++) {
      if (this.#runSubagent && plan.hasSubagents && this.#runs < MAX_SUBAGENTS && random.chance(0.2))
        this.#delegate();
      const calls = Array.from({ length: random.pick([1, 1, 1, 2, 3, 6]) }, () => this.#createCall());
      this.#session.reply(random.chance(0.2) ? texts.phrase(4, plan.tongue) : "", calls);
      for (const call of calls) this.#answer(call);
    }
    this.#session.reply(texts.notes(random.between(1, 12), plan.tongue));
  }

  #createCall(): Fields {
    const { random, texts } = this.#session;
    const name = random.weighted({
      read: 8,
      grep: 5,
      powershell: 4,
      write: 2,
      db_query: 2,
      browser__click: 1,
    });
    const path = texts.path();
    const args = {
      read: { path, offset: random.below(400) },
      grep: { pattern: texts.name(), glob: "**/*" },
      powershell: { command: `Get-Content ${path} | Select-String ${texts.word("technical")}` },
      write: { path, content: texts.output(random.between(50, 2500), this.#session.file.time) },
      db_query: { sql: `SELECT * FROM ${texts.word("technical")} LIMIT ${random.below(99)}` },
      browser__click: { selector: `#${texts.name()}`, page: random.uuid(this.#session.file.time) },
    }[name];
    return { type: "toolCall", id: `call_${random.base62(22)}`, name, arguments: args };
  }

  #answer({ id, name }: Fields): void {
    const { random, texts } = this.#session;
    const text = texts.output(this.#outputLength(), this.#session.file.time);
    const calls = () => [
      {
        name: "read",
        arguments: { path: texts.path() },
        result: texts.phrase(8, "technical"),
        durationMs: 4,
      },
      {
        name: "grep",
        arguments: { pattern: texts.name() },
        error: texts.phrase(3, "technical"),
        durationMs: 9,
      },
    ];
    this.#session.message("toolResult", {
      toolCallId: id,
      toolName: name,
      content: [{ type: "text", text }],
      isError: random.chance(0.12),
      ...(random.chance(0.05) && { nestedCalls: calls() }),
      ...(random.chance(0.03) && { usage: this.#session.billing.bill(random.between(20, 800)) }),
      ...(random.chance(0.5) && { durationMs: random.below(60_000) }),
    });
  }

  /** Mostly a few lines, and up to 900 kB in larger sessions. */
  #outputLength(): number {
    const { random } = this.#session;
    if (this.#session.left > 250_000 && random.chance(0.02))
      return random.between(100_000, Math.min(900_000, this.#session.left));
    return random.chance(0.6) ? random.between(0, 90) : random.between(100, 6000);
  }

  #delegate(): void {
    const { random, texts } = this.#session;
    const task = texts.phrase(12, this.#session.plan.tongue);
    const id = `call_${random.base62(22)}`;
    this.#session.reply("", [
      { type: "toolCall", id, name: "subagent", arguments: { agent: "scout", task } },
    ]);
    const run = this.#runSubagent?.(this.#runs++, this.#session.file.time + 1000);
    if (!run) return;
    const usage = { ...run.tokens, cacheRead: 0, cacheWrite: 0, cost: run.nanoDollars / 1e9, turns: 1 };
    const result = { agent: "scout", task, exitCode: 0, model: run.model, usage, sessionFile: run.path };
    this.#session.file.time = Math.max(this.#session.file.time, run.end);
    this.#session.message("toolResult", {
      toolCallId: id,
      toolName: "subagent",
      content: [{ type: "text", text: texts.notes(5, this.#session.plan.tongue) }],
      details: { mode: "parallel", results: [result] },
      isError: false,
    });
  }
}
