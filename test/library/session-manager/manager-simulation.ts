import { existsSync, mkdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { folderName } from "../../../fixtures/names.ts";
import type { SessionManager } from "../../../library/index.ts";
import type { Implementation } from "./implementations.ts";
import { assistant, system, user } from "./messages.ts";
import type { Operation } from "./operations.ts";

/**
 * A folder with sessions, and a SessionManager that operations are applied to. The results of two simulations with the same
 * operations are equal: ids are replaced by their order of appearance, and times by the operation that they are from.
 */
export class ManagerSimulation {
  readonly folder: string;
  readonly #cwd: string;
  /**
   * Whether pi 0.73.1 takes part. Its differences from 1.5.2 are then avoided: a session begins with a response, names are one
   * line, `fromId` is not compared, and branched sessions have no labels except at their end.
   */
  readonly #isOld: boolean;
  /** The current implementation, then the one to switch to. */
  readonly #implementations: Implementation[];
  #manager: SessionManager;
  /** All session files, in the order of their creation. */
  readonly #files: string[] = [];
  readonly #ids = new Map<string, string>();
  /** Start and end of each operation, in Unix milliseconds. */
  readonly #operations: { start: number; end: number }[] = [];

  constructor(folder: string, implementations: Implementation[]) {
    this.folder = folder;
    this.#cwd = join(folder, "shop");
    this.#implementations = [...implementations];
    this.#isOld = implementations.some(({ name }) => name === "pi 0.73.1");
    mkdirSync(folder);
    this.#manager = this.#timed(() => appendConversation(this.#pi.create(this.#cwd)));
    this.#recordFile();
  }

  get #pi(): Implementation["SessionManager"] {
    process.env.PI_CODING_AGENT_DIR = join(this.folder, "agent");
    return (this.#implementations[0] as Implementation).SessionManager;
  }

  /** Runs the operation and returns its outcome. */
  apply(operation: Operation): unknown {
    const outcome = this.#timed(() => {
      try {
        return this.#perform(operation);
      } catch (error) {
        return `throws: ${error instanceof Error ? error.message : error}`;
      }
    });
    this.#recordFile();
    return this.#normalize(outcome);
  }

  /** Returns the results of every getter: of the current session, or of a file opened with the implementation `by`. */
  snapshot(by?: Implementation, file?: string): unknown {
    const manager = by && file !== undefined ? by.SessionManager.open(file) : this.#manager;
    const { buildSessionContext, loadEntriesFromFile } = by ?? (this.#implementations[0] as Implementation);
    const entries = manager.getEntries();
    const path = manager.getSessionFile();
    return this.#normalize({
      id: manager.getSessionId(),
      file: path,
      dir: manager.getSessionDir(),
      cwd: manager.getCwd(),
      isPersisted: manager.isPersisted(),
      header: manager.getHeader(),
      name: manager.getSessionName(),
      leafId: manager.getLeafId(),
      leaf: manager.getLeafEntry(),
      entries,
      branch: manager.getBranch(),
      tree: manager.getTree(),
      context: manager.buildSessionContext(),
      each: entries.map(({ id }) => [
        manager.getEntry(id)?.type,
        manager.getLabel(id),
        manager.getChildren(id).map((child) => child.id),
        manager.getBranch(id).map((ancestor) => ancestor.id),
        buildSessionContext(entries, id).messages.length,
      ]),
      lines: path !== undefined && existsSync(path) ? readLines(path) : undefined,
      loaded: path !== undefined ? loadEntriesFromFile(path).length : undefined,
    });
  }

  get files(): readonly string[] {
    return this.#files;
  }

  /** Returns the sessions that `by` lists: of the working directory, and all. */
  async list(by: Implementation): Promise<string[]> {
    process.env.PI_CODING_AGENT_DIR = join(this.folder, "agent");
    const lists = [await by.SessionManager.list(this.#cwd), await by.SessionManager.listAll()];
    return lists.flatMap((infos, n) => {
      const times = infos.map(({ modified }) => modified.getTime());
      if (times.some((time, at) => time > (times[at - 1] ?? time)))
        throw new Error(`${by.name}: not by time`);
      // Sessions with equal times may be in any order.
      return infos.map((info) => JSON.stringify(this.#normalize([n, pick(info)]))).sort();
    });
  }

  #perform(operation: Operation): unknown {
    const manager = this.#manager;
    switch (operation.does) {
      case "message":
        return manager.appendMessage(operation.message as Parameters<SessionManager["appendMessage"]>[0]);
      case "level":
        return manager.appendThinkingLevelChange(operation.level);
      case "model":
        return manager.appendModelChange(operation.provider, operation.modelId);
      case "compaction": {
        const { summary, tokens, details, fromHook } = operation;
        return manager.appendCompaction(summary, this.#entry(operation.at), tokens, details, fromHook);
      }
      case "custom":
        return manager.appendCustomEntry(operation.customType, operation.data);
      case "name":
        return manager.appendSessionInfo(
          this.#isOld ? operation.name.replace(/[\r\n]/g, "") : operation.name,
        );
      case "customMessage": {
        const { customType, content, display, details } = operation;
        return manager.appendCustomMessageEntry(customType, content, display, details);
      }
      case "label":
        return manager.appendLabelChange(this.#entry(operation.at), operation.label);
      case "system":
      case "keepNone":
      case "usage":
      case "edit":
        return this.#isOld ? "not available" : this.#performNew(operation);
      case "branch":
        return manager.branch(this.#entry(operation.at));
      case "branchUnknown":
        return manager.branch("nosuch");
      case "reset":
        return manager.resetLeaf();
      case "branchSummary": {
        const { at, summary, details, fromHook } = operation;
        return manager.branchWithSummary(at === null ? null : this.#entry(at), summary, details, fromHook);
      }
      case "branched": {
        const leaf = this.#pickLeaf(operation.at);
        return leaf === undefined ? "none" : manager.createBranchedSession(leaf);
      }
      case "new": {
        const file = manager.newSession(
          operation.at === null ? undefined : { parentSession: this.#file(operation.at) },
        );
        this.#appendConversation(manager);
        return file;
      }
      case "switch":
        return manager.isPersisted() && manager.setSessionFile(this.#file(operation.at));
      case "switchToNone":
        if (!manager.isPersisted()) return;
        manager.setSessionFile(join(this.folder, `mine-${this.#files.length}.jsonl`));
        this.#appendConversation(manager);
        return;
      default:
        this.#manager = this.#open(operation);
        return "opened";
    }
  }

  #performNew(operation: Extract<Operation, { does: "system" | "keepNone" | "usage" | "edit" }>): unknown {
    const manager = this.#manager;
    switch (operation.does) {
      case "system": {
        const { content, sections } = operation;
        const message = { ...system(content), ...(sections && { sections }) };
        return manager.appendMessage(message as Parameters<SessionManager["appendMessage"]>[0]);
      }
      case "keepNone":
        return manager.appendCompaction(operation.summary, null, operation.tokens);
      case "usage": {
        const { kind, provider, model, tokens, note } = operation;
        const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
        const usage = { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: tokens, cost };
        return manager.appendUsage(kind, provider, model, usage, note ?? undefined);
      }
      case "edit": {
        const { at, content } = operation;
        return manager.appendContextEdit(this.#entry(at), content === null ? null : { content });
      }
    }
  }

  #open(operation: Extract<Operation, { does: "create" | "open" | "recent" | "fork" | "memory" | "other" }>) {
    const { does } = operation;
    if (does === "create") return this.#appendConversation(this.#pi.create(this.#cwd));
    if (does === "open") return this.#pi.open(this.#file(operation.at));
    if (does === "memory") return this.#pi.inMemory(this.#cwd);
    if (does === "fork") {
      const cwd = operation.elsewhere ? join(this.folder, "elsewhere") : this.#cwd;
      return this.#pi.forkFrom(this.#file(operation.at), cwd);
    }
    if (does === "recent") {
      for (const [n, file] of this.#files.entries()) utimesSync(file, 1_767_600_000, 1_767_600_000 + n);
      utimesSync(this.#file(operation.at), 1_767_700_000, 1_767_700_000);
      const manager = this.#pi.continueRecent(this.#cwd);
      return manager.getEntries().length > 0 ? manager : this.#appendConversation(manager);
    }
    this.#implementations.reverse();
    const file = this.#manager.getSessionFile();
    return file === undefined ? this.#pi.inMemory(this.#cwd) : this.#pi.open(file);
  }

  #appendConversation(manager: SessionManager): SessionManager {
    return this.#isOld ? appendConversation(manager) : manager;
  }

  #entry(at: number): string {
    const entries = this.#manager.getEntries();
    return entries[at % Math.max(1, entries.length)]?.id ?? "nosuch";
  }

  /** Returns an entry id; for pi 0.73.1, on a branch with a response, and without labels except at its end. */
  #pickLeaf(at: number): string | undefined {
    if (!this.#isOld) return this.#entry(at);
    const leaves = this.#manager.getEntries().filter(({ id }) => {
      const path = this.#manager.getBranch(id);
      const label = path.findIndex(({ type }) => type === "label");
      return (
        path.some((entry) => entry.type === "message" && entry.message.role === "assistant") &&
        (label === -1 || path.slice(label).every(({ type }) => type === "label"))
      );
    });
    return leaves[at % leaves.length]?.id;
  }

  #file(at: number): string {
    return this.#files[at % this.#files.length] as string;
  }

  #recordFile(): void {
    const file = this.#manager.getSessionFile();
    if (file !== undefined && existsSync(file) && !this.#files.includes(file)) this.#files.push(file);
  }

  /** Runs in milliseconds that no other operation uses, so that a time identifies its operation. */
  #timed<T>(run: () => T): T {
    const last = this.#operations.at(-1)?.end ?? 0;
    while (Date.now() <= last);
    const start = Date.now();
    try {
      return run();
    } finally {
      this.#operations.push({ start, end: Date.now() });
    }
  }

  /** Returns the JSON value with ids, times and folders replaced, so that two simulations can be compared. */
  #normalize(value: unknown): unknown {
    const walk = (inner: unknown): unknown => {
      if (typeof inner === "number") return this.#findOperation(inner) ?? inner;
      if (typeof inner === "string") return this.#replaceIds(inner);
      if (Array.isArray(inner)) return inner.map(walk);
      if (typeof inner !== "object" || inner === null) return inner;
      // conformance/writing.test.ts tests the order of fields.
      const fields = Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1));
      return Object.fromEntries(
        fields.map(([name, field]) => [name, name === "fromId" && this.#isOld ? "*" : walk(field)]),
      );
    };
    return walk(JSON.parse(JSON.stringify([value])));
  }

  #replaceIds(text: string): string {
    return text
      .replaceAll(this.folder, "<folder>")
      .replaceAll(folderName(this.folder).slice(2, -2), "<folder>")
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8}\b/g, (id) => this.#id(id))
      .replace(/(\d{4}-\d\d-\d\dT\d\d)[:-](\d\d)[:-](\d\d)[.-](\d{3}Z)/g, (found, hour, ...rest) => {
        const [minute, second, end] = rest as string[];
        return this.#findOperation(Date.parse(`${hour}:${minute}:${second}.${end}`)) ?? found;
      });
  }

  #id(id: string): string {
    const known = this.#ids.get(id) ?? `<${this.#ids.size + 1}>`;
    this.#ids.set(id, known);
    return known;
  }

  /** Returns the operation that a time is from, if any: messages have times of their own. */
  #findOperation(time: number): string | undefined {
    const at = this.#operations.findIndex(({ start, end }) => time >= start && time <= end);
    return at === -1 ? undefined : `<time of ${at}>`;
  }
}

/** Appends a user message and a response. */
function appendConversation(manager: SessionManager): SessionManager {
  manager.appendMessage(user("one"));
  manager.appendMessage(assistant("two"));
  return manager;
}

/** Parses the lines of a file, all of which must be complete. */
function readLines(path: string): unknown[] {
  const lines = readFileSync(path, "utf8").split("\n");
  if (lines.pop() !== "") throw new Error(`${path} does not end with a newline`);
  return lines.map((line) => JSON.parse(line));
}

function pick(info: Awaited<ReturnType<Implementation["SessionManager"]["list"]>>[number]) {
  const { path, id, cwd, name, parentSessionPath, created, modified, messageCount, firstMessage } = info;
  const { allMessagesText } = info; // a getter: pidex reads the file now
  return {
    path,
    id,
    cwd,
    name,
    parentSessionPath,
    created,
    modified,
    messageCount,
    firstMessage,
    allMessagesText,
  };
}
