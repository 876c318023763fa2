/**
 * Expected content of the sessions of a home folder, computed without pidex: with JSON.parse and the rules that each agent
 * documents. Only node is imported here.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, sep } from "node:path";

// biome-ignore lint/suspicious/noExplicitAny: lines of files, as they are
type Line = any;

export interface PlainSession {
  path: string;
  agent: string;
  id: string;
  name: string | null;
  entries: number;
  provider: string | null;
  model: string | null;
  /** Cost in nano-dollars that is attributed to this session. */
  cost: number;
  /** `action path`, distinct and sorted. */
  touched: string[];
}

/** Session folders of each agent: the first folders of a path below the home folder, and the agent. */
const SESSION_FOLDERS: readonly [agent: string, match: RegExp][] = [
  ["pi", /^\.pi\/agent\/sessions\//],
  ["atomic", /^\.atomic\/agent\/sessions\//],
  ["omp", /^\.omp\/(?:profiles\/[^/]+\/)?agent\/sessions\//],
  ["prime-agent", /^\.prime\/agent\/(?:sessions|session-artifacts)\//],
  ["openclaw", /^\.openclaw\/agents\/[^/]+\/sessions\//],
  ["gsd", /^\.gsd\/sessions\//],
  ["tau", /^\.tau\/agent\/sessions\//],
];

export function computeExpectedContent(home: string): PlainSession[] {
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && /(?<!\.trajectory)\.jsonl(?:\.reset\.[^.]+\.\d+Z)?$/.test(item.name))
    .map((item) => join(item.parentPath, item.name));
  const sessions = files.flatMap((path) => {
    const relativePath = path
      .slice(home.length + 1)
      .split(sep)
      .join("/");
    const match = SESSION_FOLDERS.find(([, start]) => start.test(relativePath));
    return match ? [{ path, agent: match[0], lines: linesOf(path) }] : [];
  });
  const paths = new Set(sessions.map(({ path }) => path));
  return sessions.map(({ path, agent, lines }) => summarize(path, agent, lines, paths)).sort(byPath);
}

const linesOf = (path: string): Line[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

function summarize(path: string, agent: string, lines: Line[], paths: ReadonlySet<string>): PlainSession {
  const header = lines.find(({ type }) => type === "session");
  const entries = lines.slice(lines.indexOf(header) + 1);
  const titleLine = lines[0].type === "title" ? lines[0].title : undefined;
  let name: string | null = titleLine ?? header.title ?? null;
  let provider: string | null = null;
  let model: string | null = null;
  let cost = 0;
  const touched = new Set<string>();
  const touch = (action: string, file: string) =>
    touched.add(`${action} ${isAbsolute(file) ? file : join(header.cwd, file)}`);
  const add = (usage: Line) => {
    cost += Math.round(usage.cost.total * 1e9);
  };
  for (const entry of entries) {
    if (entry.type === "session_info") name = entry.name;
    if (entry.type === "title_change") name = entry.title;
    if (entry.type === "model_change" && (entry.role ?? "default") === "default") {
      const [first, ...rest] = (entry.model ?? `${entry.provider}/${entry.modelId}`).split("/");
      [provider, model] = [first, rest.join("/")];
    }
    if (entry.type === "session_summary" || entry.type === "model_usage") add(entry.usage);
    if (entry.type === "child_usage_attributed" && !hasChild(path, paths)) add(entry.childUsage);
    const { message } = entry;
    if (message?.role === "assistant") {
      [provider, model] = [message.provider, message.model];
      add(message.usage);
      for (const block of message.content) if (block.type === "toolCall") recordTouches(block, touch);
    }
    if (message?.role === "toolResult") {
      for (const run of message.details?.results ?? []) {
        const own = join(dirname(path), basename(path, ".jsonl"), `${run.id}.jsonl`);
        if (!paths.has(own)) add(run.usage);
      }
    }
    if (message?.role === "pythonExecution") recordPythonTouches(message.code, touch);
    if (message?.role === "fileMention") for (const file of message.files) touch("read", file.path);
  }
  return {
    path,
    agent,
    id: header.id,
    name,
    entries: entries.length,
    provider,
    model,
    cost,
    touched: [...touched].sort(),
  };
}

/** prime-agent writes a child session to `session-artifacts/<parent's id>/sub-*`, beside its parent's folder. */
function hasChild(path: string, paths: ReadonlySet<string>): boolean {
  const folder = join(dirname(dirname(path)), "session-artifacts", basename(path, ".jsonl"), "sub-");
  return [...paths].some((each) => each.startsWith(folder));
}

type Touch = (action: string, file: string) => void;

function recordTouches({ name, arguments: args }: Line, touch: Touch): void {
  if (name === "edit" && args.path) touch("edit", args.path);
  else if (name === "edit")
    for (const [, file] of args.input.matchAll(/^\[(.+)#\w{4}\]$/gm)) touch("edit", file);
  else if (name === "write") touch("write", args.path);
  else if (name === "read") touch("read", args.path.replace(/:\d+-\d+$/, ""));
  else if (name === "apply_patch") {
    const actions: Record<string, string> = { Add: "write", Update: "edit", Delete: "delete" };
    for (const [, what, file] of args.input.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)) {
      touch(actions[what as string] as string, file);
    }
  } else if (name === "ipython") recordPythonTouches(args.code, touch);
  else if (name === "bash") {
    const [, from, to] = /^cat (\S+) > (\S+)$/.exec(args.command) as unknown as string[];
    touch("read", from as string);
    touch("write", to as string);
  }
}

function recordPythonTouches(code: string, touch: Touch): void {
  for (const [, file, method] of code.matchAll(/Path\('([^']+)'\)\.(read|write)_text/g))
    touch(method as string, file as string);
  for (const [, file] of code.matchAll(/open\('([^']+)', 'w'\)/g)) touch("write", file as string);
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
