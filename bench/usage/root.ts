import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MODELS, UsageGenerator } from "../models.ts";
import { Random } from "../random.ts";

/** A root of sessions with little but usage. */
export interface UsageRoot {
  folder: string;
  /** Number of billed responses, excluding copies in forks. */
  events: number;
  /** Cost of these responses. */
  nanoDollars: number;
}

/** The previous session, which the next one may fork. */
interface Session {
  /** Path relative to the root. */
  file: string;
  lines: string[];
  lastId: string | null;
}

const RESPONSES_PER_TURN = 6;
const START = Date.UTC(2024, 10, 1, 8);
const SPAN_MS = 2 * 365 * 86_400_000;

/**
 * Returns a root with this number of billed responses over two years, about 80 per session, with their tool calls. One session
 * in 20 is a fork of the one before. The root is written on first use, and reused afterwards.
 */
export function prepareUsageRoot(parentFolder: string, events: number): UsageRoot {
  const folder = join(parentFolder, `usage-${events}`);
  // Renamed when it is complete, so that an incomplete root is not reused.
  const unfinished = `${folder}.unfinished`;
  const random = new Random(7);
  const projects = Array.from({ length: 60 }, (_, n) => `/home/ada/code/project-${n}`);
  const exists = existsSync(folder);
  rmSync(unfinished, { recursive: true, force: true });
  const sessions = Math.ceil(events / 80);
  let remaining = events;
  let nanoDollars = 0;
  let previous: Session | undefined;
  for (let n = 0; remaining > 0; n++) {
    const cwd = random.pick(projects);
    const time = START + Math.floor((n / sessions) * SPAN_MS) + random.below(6 * 3_600_000);
    const parent = n % 20 === 19 ? previous : undefined;
    const responses = Math.min(remaining, random.between(30, 130));
    const session = generateEntries(random, time, responses, parent?.lastId);
    remaining -= responses;
    nanoDollars += session.nanoDollars;
    const id = random.uuid(time);
    const file = `-${cwd.replaceAll("/", "-")}--/${toIsoTime(time).replace(/[:.]/g, "-")}_${id}.jsonl`;
    const header = {
      type: "session",
      version: 3,
      id,
      timestamp: toIsoTime(time),
      cwd,
      ...(parent && { parentSession: join(folder, parent.file) }),
    };
    previous = { file, lines: session.lines, lastId: session.lastId };
    if (exists) continue;
    mkdirSync(dirname(join(unfinished, file)), { recursive: true });
    const lines = [JSON.stringify(header), ...(parent?.lines ?? []), ...session.lines];
    writeFileSync(join(unfinished, file), `${lines.join("\n")}\n`);
  }
  if (!exists) renameSync(unfinished, folder);
  return { folder, events, nanoDollars };
}

function generateEntries(
  random: Random,
  start: number,
  responses: number,
  firstParentId: string | null = null,
): Omit<Session, "file"> & { nanoDollars: number } {
  const meter = new UsageGenerator(random.pick(MODELS));
  const lines: string[] = [];
  let parentId = firstParentId;
  let time = start;
  const append = (seconds: number, fields: object) => {
    time += Math.ceil(random.logNormal(seconds * 1000, 0.6));
    const id = random.hex(8);
    lines.push(JSON.stringify({ type: "message", id, parentId, timestamp: toIsoTime(time), ...fields }));
    parentId = id;
  };
  for (let n = 0; n < responses; n++) {
    const isTurn = n % RESPONSES_PER_TURN === 0;
    if (isTurn) append(120, { message: { role: "user", content: `Step ${n}.`, timestamp: time } });
    if (random.chance(0.02)) meter.model = random.pick(MODELS);
    const { api, provider, model } = meter.model;
    const isLast = n % RESPONSES_PER_TURN === RESPONSES_PER_TURN - 1;
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

function toIsoTime(time: number): string {
  return new Date(time).toISOString();
}
