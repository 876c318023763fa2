import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MODELS, UsageGenerator } from "../models.ts";
import { Random } from "../random.ts";

/** What a root of sessions holds that are nearly all usage: little text, so that many fit. */
export interface UsageRoot {
  folder: string;
  /** Answers that were billed, without copies in forks. */
  events: number;
  /** What they cost, in nano-dollars. */
  nanoDollars: number;
}

/** A session that was written, for the fork after it. */
interface Session {
  /** Below the root. */
  file: string;
  lines: string[];
  lastId: string | null;
}

const TURNS = 6;
const START = Date.UTC(2024, 10, 1, 8);
const SPAN_MS = 2 * 365 * 86_400_000;

/**
 * Writes sessions with so many billed answers over two years, or finds them where they were written before: some 80
 * answers a session with their tool calls, ten seconds to a minute apart; one session in 20 a fork of the one before, whose copies cost nothing again.
 */
export function usageRoot(parent: string, events: number): UsageRoot {
  const folder = join(parent, `usage-${events}`);
  // Has its name when all is written, so that what was interrupted is not taken for whole.
  const unfinished = `${folder}.unfinished`;
  const random = new Random(7);
  const projects = Array.from({ length: 60 }, (_, n) => `/home/ada/code/project-${n}`);
  const isWritten = existsSync(folder);
  rmSync(unfinished, { recursive: true, force: true });
  const sessions = Math.ceil(events / 80);
  let left = events;
  let nanoDollars = 0;
  let before: Session | undefined;
  for (let n = 0; left > 0; n++) {
    const cwd = random.pick(projects);
    const time = START + Math.floor((n / sessions) * SPAN_MS) + random.below(6 * 3_600_000);
    const parent = n % 20 === 19 ? before : undefined;
    const answers = Math.min(left, random.between(30, 130));
    const session = talk(random, time, answers, parent?.lastId);
    left -= answers;
    nanoDollars += session.nanoDollars;
    const id = random.uuid(time);
    const file = `-${cwd.replaceAll("/", "-")}--/${iso(time).replace(/[:.]/g, "-")}_${id}.jsonl`;
    const header = {
      type: "session",
      version: 3,
      id,
      timestamp: iso(time),
      cwd,
      ...(parent && { parentSession: join(folder, parent.file) }),
    };
    before = { file, lines: session.lines, lastId: session.lastId };
    if (isWritten) continue;
    mkdirSync(dirname(join(unfinished, file)), { recursive: true });
    const lines = [JSON.stringify(header), ...(parent?.lines ?? []), ...session.lines];
    writeFileSync(join(unfinished, file), `${lines.join("\n")}\n`);
  }
  if (!isWritten) renameSync(unfinished, folder);
  return { folder, events, nanoDollars };
}

function talk(
  random: Random,
  start: number,
  answers: number,
  after: string | null = null,
): Omit<Session, "file"> & { nanoDollars: number } {
  const meter = new UsageGenerator(random.pick(MODELS));
  const lines: string[] = [];
  let parentId = after;
  let time = start;
  const append = (seconds: number, fields: object) => {
    time += Math.ceil(random.logNormal(seconds * 1000, 0.6));
    const id = random.hex(8);
    lines.push(JSON.stringify({ type: "message", id, parentId, timestamp: iso(time), ...fields }));
    parentId = id;
  };
  for (let n = 0; n < answers; n++) {
    const isTurn = n % TURNS === 0;
    if (isTurn) append(120, { message: { role: "user", content: `Step ${n}.`, timestamp: time } });
    if (random.chance(0.02)) meter.model = random.pick(MODELS);
    const { api, provider, model } = meter.model;
    const isLast = n % TURNS === TURNS - 1;
    const call = {
      type: "toolCall",
      id: `call_${n}`,
      name: random.pick(["bash", "read", "edit", "grep"]),
      arguments: {},
    };
    meter.grow(random.between(200, 8000));
    append(15, {
      message: {
        role: "assistant",
        content: isLast ? [{ type: "text", text: "Done." }] : [call],
        api,
        provider,
        model,
        usage: meter.bill(random.between(50, 900), random.between(1, 30)),
        stopReason: isLast ? "stop" : "toolUse",
        timestamp: time,
      },
    });
    if (isLast) continue;
    const result = { role: "toolResult", toolCallId: call.id, toolName: call.name, content: [] };
    append(4, { message: { ...result, isError: random.chance(0.05), timestamp: time } });
  }
  return { lines, lastId: parentId, nanoDollars: meter.spent.nanoDollars };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
