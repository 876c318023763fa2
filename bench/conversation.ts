import { Dialogue, type SessionSetup } from "./dialogue.ts";
import { MODELS, type Model, type Tokens, UsageGenerator } from "./models.ts";
import type { NeedleText } from "./plan.ts";
import { generateToolCall } from "./tools.ts";

/** The result of a subagent's session, whose cost is also recorded in the caller's tool result. */
export interface SubagentRun {
  file: string;
  task: string;
  model: string;
  usage: Tokens & { cost: number; turns: number };
  end: number;
}

/** Called by a conversation for what affects the rest of the root. */
export interface RootCallbacks {
  runSubagent(task: string, start: number): SubagentRun;
  onNeedle(needle: NeedleText, entryId: string): void;
}

/** An action to run once the file has `atBytes` bytes, or at its end. */
interface ScheduledAction {
  atBytes: number;
  run(): void;
}

const COMPACTION_TOKENS = 160_000;
const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"];

/** Fills a session with turns of one user, a model and its tools until it reaches its size. */
export class Conversation {
  readonly #setup: SessionSetup;
  readonly #callbacks: RootCallbacks;
  readonly #dialogue: Dialogue;
  readonly #scheduled: ScheduledAction[];
  readonly #meter: UsageGenerator;

  constructor(setup: SessionSetup, callbacks: RootCallbacks) {
    const { plan, random, target } = setup;
    this.#setup = setup;
    this.#callbacks = callbacks;
    this.#meter = new UsageGenerator(random.pick(MODELS));
    this.#dialogue = new Dialogue(setup, this.#meter);
    const actions = plan.needles.map((needle) => () => this.#plantNeedle(needle));
    if (plan.hasSubagent) actions.push(() => this.#callSubagent());
    this.#scheduled = actions.map((run, i) => ({ atBytes: (target * (i + 0.5)) / actions.length, run }));
  }

  /** Writes the session. Returns its last model and its total cost. */
  write(): UsageGenerator {
    const { file, target } = this.#setup;
    if (file.leaf === null) this.#writeSettings();
    do this.#writeTurn();
    while (file.bytes < target);
    for (const { run } of this.#scheduled) run();
    return this.#meter;
  }

  #writeSettings(): void {
    const { file, random, texts } = this.#setup;
    this.#changeModel(this.#meter.model);
    file.append("thinking_level_change", { thinkingLevel: random.pick(THINKING_LEVELS) });
    if (this.#isModern && random.chance(0.25)) file.append("session_info", { name: texts.words(4) });
  }

  #writeTurn(): void {
    const { file, random } = this.#setup;
    if (this.#isModern) this.#writeSideEntries();
    const due = this.#scheduled[0];
    if (due && file.bytes >= due.atBytes) this.#scheduled.shift()?.run();

    this.#dialogue.addUserMessage();
    // A step takes about a thousand bytes. Without room for one, the model responds immediately.
    const steps = random.chance(0.15) ? 0 : Math.ceil(random.logNormal(5, 0.8));
    for (let step = 0; step < steps && this.#dialogue.maxBytes > 300; step++) this.#writeStep();
    this.#dialogue.endTurn();
    if (this.#meter.context > COMPACTION_TOKENS) this.#compact();
  }

  /** Only version 3 has all entry types. */
  get #isModern(): boolean {
    return this.#setup.file.header.version === 3;
  }

  /** Entries between turns, each with a small probability. */
  #writeSideEntries(): void {
    const { file, random, texts } = this.#setup;
    const lastTurn = file.turns.at(-1);
    if (random.chance(0.01)) this.#changeModel(random.pick(MODELS));
    if (random.chance(0.02))
      file.append("thinking_level_change", { thinkingLevel: random.pick(THINKING_LEVELS) });
    if (random.chance(0.01))
      file.append("session_info", { name: texts.words(3, this.#dialogue.pickLanguage()) });
    if (random.chance(0.05)) this.#dialogue.addShellCommand();
    if (random.chance(0.03)) file.append("custom", { customType: "todo", data: { open: texts.words(6) } });
    if (random.chance(0.03)) {
      const content = texts.prose(300, "english");
      file.append("custom_message", { customType: "reminder", content, display: random.chance(0.5) });
    }
    if (!lastTurn) return;
    if (random.chance(0.04)) file.append("label", { targetId: lastTurn.id, label: texts.words(2) });
    if (random.chance(0.005)) file.append("context_edit", { targetId: lastTurn.id, replacement: null });
    if (random.chance(0.05)) this.#branch();
  }

  /** Writes a response that calls one tool or several, and their results. */
  #writeStep(): void {
    const { file, random, texts, plan } = this.#setup;
    const calls = random.chance(0.1) ? random.between(2, 4) : 1;
    this.#dialogue.addToolCalls(
      Array.from({ length: calls }, () => generateToolCall(random, texts, this.#dialogue.maxBytes)),
    );
    if (plan.hasChattyExtension && this.#isModern) {
      file.append("custom", { customType: "status-line", data: { step: file.bytes, task: texts.words(5) } });
    }
  }

  #changeModel(model: Model): void {
    this.#meter.model = model;
    this.#setup.file.append("model_change", { provider: model.provider, modelId: model.model });
  }

  #compact(): void {
    const { file, random, texts } = this.#setup;
    const turn = file.turns.at(-1);
    if (!turn) return;
    const kept =
      file.header.version === 1 ? { firstKeptEntryIndex: turn.line } : { firstKeptEntryId: turn.id };
    const tokensBefore = this.#meter.context;
    const summary = `## Goal\n${texts.prose(random.between(2000, 6000), this.#dialogue.pickLanguage())}`;
    const details = { readFiles: [texts.path(), texts.path()], modifiedFiles: [texts.path()] };
    const usage = this.#isModern ? { usage: this.#meter.bill(Math.ceil(summary.length / 4), 0) } : {};
    file.append("compaction", { summary, ...kept, tokensBefore, details, ...usage });
    this.#meter.shrink();
  }

  /** Moves the leaf to before one of the last turns. Later entries are abandoned, and perhaps summarized. */
  #branch(): void {
    const { file, random, texts } = this.#setup;
    const { turns } = file;
    const turn = turns[turns.length - 1 - random.zipf(Math.min(8, turns.length))];
    const abandonedLeaf = file.leaf;
    if (!turn?.parentId) return;
    file.leaf = turn.parentId;
    if (random.chance(0.5)) {
      const summary = texts.prose(800, this.#dialogue.pickLanguage());
      file.append("branch_summary", {
        fromId: abandonedLeaf,
        summary,
        usage: this.#meter.bill(summary.length >> 2, 0),
      });
    }
  }

  /** Gives a task to a subagent with a tool call. */
  #callSubagent(): void {
    const { file, texts } = this.#setup;
    const task = texts.prose(300, this.#dialogue.pickLanguage());
    this.#dialogue.addUserMessage();
    const run = this.#callbacks.runSubagent(task, file.time + 5000);
    const results = [
      { agent: "worker", task, exitCode: 0, model: run.model, usage: run.usage, sessionFile: run.file },
    ];
    const details = { mode: "single", results };
    this.#dialogue.addToolCalls([
      {
        name: "subagent",
        arguments: { agent: "worker", task },
        output: texts.prose(900, this.#dialogue.pickLanguage()),
        details,
        isError: false,
      },
    ]);
    file.time = Math.max(file.time, run.end);
    this.#dialogue.endTurn();
  }

  /** Writes a needle into an entry of a matching type, in a short separate turn. */
  #plantNeedle(needle: NeedleText): void {
    const { texts } = this.#setup;
    const { onNeedle } = this.#callbacks;
    const { kind, text } = needle;
    const path = texts.path();
    if (kind === "word")
      onNeedle(needle, this.#dialogue.addUserMessage(`${texts.words(6)} ${text} ${texts.words(6)}`));
    else if (kind === "phrase") {
      onNeedle(
        needle,
        this.#dialogue.addUserMessage(`${texts.words(4, "chinese")}${text}${texts.words(4, "chinese")}。`),
      );
    } else if (kind === "identifier") {
      this.#dialogue.addUserMessage();
      const args = {
        path,
        oldText: texts.code(100),
        newText: `const ${texts.word()} = ${text}();\n${texts.code(100)}`,
      };
      const output = `Successfully replaced text in ${path}.`;
      onNeedle(
        needle,
        this.#dialogue.addToolCalls([{ name: "edit", arguments: args, output, isError: false }]).callId,
      );
    } else {
      this.#dialogue.addUserMessage();
      const output = `${texts.code(200)}\n${text}\n${texts.code(100)}`;
      const args = { command: texts.command() };
      onNeedle(
        needle,
        this.#dialogue.addToolCalls([{ name: "bash", arguments: args, output, isError: true }]).resultId,
      );
    }
    this.#dialogue.endTurn();
  }
}
