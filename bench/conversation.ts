import { Dialogue, type Setting } from "./dialogue.ts";
import { MODELS, type Model, type Tokens, UsageGenerator } from "./models.ts";
import type { NeedleText } from "./plan.ts";
import { useTool } from "./tools.ts";

/** The result of a subagent's session. Its cost is recorded there, and again in the caller's tool result. */
export interface SubagentRun {
  file: string;
  task: string;
  model: string;
  usage: Tokens & { cost: number; turns: number };
  end: number;
}

/** What a conversation requests from the root it is part of. */
export interface Surroundings {
  runSubagent(task: string, start: number): SubagentRun;
  onNeedle(needle: NeedleText, entryId: string): void;
}

/** Something that happens when the file has `at` bytes, at the latest at its end. */
interface Appointment {
  at: number;
  act(): void;
}

const COMPACTION_TOKENS = 160_000;
const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"];

/** Fills a session with turns until it reaches its size: one user, one model, its tools. */
export class Conversation {
  readonly #setting: Setting;
  readonly #surroundings: Surroundings;
  readonly #dialogue: Dialogue;
  readonly #appointments: Appointment[];
  readonly #meter: UsageGenerator;

  constructor(setting: Setting, surroundings: Surroundings) {
    const { plan, random, target } = setting;
    this.#setting = setting;
    this.#surroundings = surroundings;
    this.#meter = new UsageGenerator(random.pick(MODELS));
    this.#dialogue = new Dialogue(setting, this.#meter);
    const acts = plan.needles.map((needle) => () => this.#plant(needle));
    if (plan.hasSubagent) acts.push(() => this.#delegate());
    this.#appointments = acts.map((act, i) => ({ at: (target * (i + 0.5)) / acts.length, act }));
  }

  /** Returns the last model and the total cost. */
  play(): UsageGenerator {
    const { file, target } = this.#setting;
    if (file.leaf === null) this.#open();
    do this.#turn();
    while (file.bytes < target);
    for (const { act } of this.#appointments) act();
    return this.#meter;
  }

  #open(): void {
    const { file, random, texts } = this.#setting;
    this.#changeModel(this.#meter.model);
    file.append("thinking_level_change", { thinkingLevel: random.pick(LEVELS) });
    if (this.#isModern && random.chance(0.25)) file.append("session_info", { name: texts.words(4) });
  }

  #turn(): void {
    const { file, random } = this.#setting;
    if (this.#isModern) this.#aside();
    const due = this.#appointments[0];
    if (due && file.bytes >= due.at) this.#appointments.shift()?.act();

    this.#dialogue.ask();
    // A step takes about a thousand bytes: without room for one, the model answers at once.
    const steps = random.chance(0.15) ? 0 : Math.ceil(random.logNormal(5, 0.8));
    for (let step = 0; step < steps && this.#dialogue.room > 300; step++) this.#step();
    this.#dialogue.answer();
    if (this.#meter.context > COMPACTION_TOKENS) this.#compact();
  }

  /** Only version 3 has all entry types. */
  get #isModern(): boolean {
    return this.#setting.file.header.version === 3;
  }

  /** Events between turns, each with a small probability. */
  #aside(): void {
    const { file, random, texts } = this.#setting;
    const user = file.turns.at(-1);
    if (random.chance(0.01)) this.#changeModel(random.pick(MODELS));
    if (random.chance(0.02)) file.append("thinking_level_change", { thinkingLevel: random.pick(LEVELS) });
    if (random.chance(0.01)) file.append("session_info", { name: texts.words(3, this.#dialogue.language()) });
    if (random.chance(0.05)) this.#dialogue.runShell();
    if (random.chance(0.03)) file.append("custom", { customType: "todo", data: { open: texts.words(6) } });
    if (random.chance(0.03)) {
      const content = texts.prose(300, "english");
      file.append("custom_message", { customType: "reminder", content, display: random.chance(0.5) });
    }
    if (!user) return;
    if (random.chance(0.04)) file.append("label", { targetId: user.id, label: texts.words(2) });
    if (random.chance(0.005)) file.append("context_edit", { targetId: user.id, replacement: null });
    if (random.chance(0.05)) this.#branch();
  }

  /** The model calls one tool, or several at once, and gets their results. */
  #step(): void {
    const { file, random, texts, plan } = this.#setting;
    const calls = random.chance(0.1) ? random.between(2, 4) : 1;
    this.#dialogue.callTools(
      Array.from({ length: calls }, () => useTool(random, texts, this.#dialogue.room)),
    );
    if (plan.hasChattyExtension && this.#isModern) {
      file.append("custom", { customType: "status-line", data: { step: file.bytes, task: texts.words(5) } });
    }
  }

  #changeModel(model: Model): void {
    this.#meter.model = model;
    this.#setting.file.append("model_change", { provider: model.provider, modelId: model.model });
  }

  #compact(): void {
    const { file, random, texts } = this.#setting;
    const turn = file.turns.at(-1);
    if (!turn) return;
    const kept =
      file.header.version === 1 ? { firstKeptEntryIndex: turn.line } : { firstKeptEntryId: turn.id };
    const tokensBefore = this.#meter.context;
    const summary = `## Goal\n${texts.prose(random.between(2000, 6000), this.#dialogue.language())}`;
    const details = { readFiles: [texts.path(), texts.path()], modifiedFiles: [texts.path()] };
    const usage = this.#isModern ? { usage: this.#meter.bill(Math.ceil(summary.length / 4), 0) } : {};
    file.append("compaction", { summary, ...kept, tokensBefore, details, ...usage });
    this.#meter.shrink();
  }

  /** Goes back to before one of the last turns: later entries are abandoned, and perhaps summarized. */
  #branch(): void {
    const { file, random, texts } = this.#setting;
    const { turns } = file;
    const back = turns[turns.length - 1 - random.zipf(Math.min(8, turns.length))];
    const left = file.leaf;
    if (!back?.parentId) return;
    file.leaf = back.parentId;
    if (random.chance(0.5)) {
      const summary = texts.prose(800, this.#dialogue.language());
      file.append("branch_summary", {
        fromId: left,
        summary,
        usage: this.#meter.bill(summary.length >> 2, 0),
      });
    }
  }

  /** A tool call that gives a task to a subagent. */
  #delegate(): void {
    const { file, texts } = this.#setting;
    const task = texts.prose(300, this.#dialogue.language());
    this.#dialogue.ask();
    const run = this.#surroundings.runSubagent(task, file.time + 5000);
    const results = [
      { agent: "worker", task, exitCode: 0, model: run.model, usage: run.usage, sessionFile: run.file },
    ];
    const details = { mode: "single", results };
    this.#dialogue.callTools([
      {
        name: "subagent",
        arguments: { agent: "worker", task },
        output: texts.prose(900, this.#dialogue.language()),
        details,
        isError: false,
      },
    ]);
    file.time = Math.max(file.time, run.end);
    this.#dialogue.answer();
  }

  /** Hides a needle in an entry of its kind, in a short separate turn. */
  #plant(needle: NeedleText): void {
    const { texts } = this.#setting;
    const { onNeedle } = this.#surroundings;
    const { kind, text } = needle;
    const path = texts.path();
    if (kind === "word") onNeedle(needle, this.#dialogue.ask(`${texts.words(6)} ${text} ${texts.words(6)}`));
    else if (kind === "phrase") {
      onNeedle(
        needle,
        this.#dialogue.ask(`${texts.words(4, "chinese")}${text}${texts.words(4, "chinese")}。`),
      );
    } else if (kind === "identifier") {
      this.#dialogue.ask();
      const args = {
        path,
        oldText: texts.code(100),
        newText: `const ${texts.word()} = ${text}();\n${texts.code(100)}`,
      };
      const output = `Successfully replaced text in ${path}.`;
      onNeedle(
        needle,
        this.#dialogue.callTools([{ name: "edit", arguments: args, output, isError: false }]).callId,
      );
    } else {
      this.#dialogue.ask();
      const output = `${texts.code(200)}\n${text}\n${texts.code(100)}`;
      const args = { command: texts.command() };
      onNeedle(
        needle,
        this.#dialogue.callTools([{ name: "bash", arguments: args, output, isError: true }]).resultId,
      );
    }
    this.#dialogue.answer();
  }
}
