import type { EntryId } from "../src/session/entries.ts";
import type { TouchAction } from "../src/store/sqlite/schema.ts";
import type { ReadEntry } from "./chunks.ts";
import type { EventFigures } from "./event-figures.ts";
import type { SessionEvent } from "./events.ts";
import type { Extracted } from "./extract.ts";

/**
 * Entries in a row, flat: from thread to thread objects go with the name of each field, and to write and read those
 * takes longer than to parse the session.
 */
export interface PackedEntries {
  /** What each value is, by `KIND`. */
  kinds: Uint8Array<ArrayBuffer>;
  /** The values that are numbers, texts and keys, each in their order. */
  numbers: Float64Array<ArrayBuffer>;
  texts: string[];
  keys: BigInt64Array<ArrayBuffer>;
}

type Value = string | number | bigint | boolean | null;

const KIND = { null: 0, false: 1, true: 2, number: 3, text: 4, key: 5 } as const;

/** Packs what of entries must go from the thread that reads to the one that writes: not their words, and problems are the chunk's. */
export function entryPacker(): { add: (entry: ReadEntry) => void; take: () => PackedEntries } {
  let kinds: number[] = [];
  let numbers: number[] = [];
  let texts: string[] = [];
  let keys: bigint[] = [];

  function put(value: Value): void {
    if (value === null) kinds.push(KIND.null);
    else if (typeof value === "number") {
      kinds.push(KIND.number);
      numbers.push(value);
    } else if (typeof value === "string") {
      kinds.push(KIND.text);
      texts.push(value);
    } else if (typeof value === "boolean") kinds.push(value ? KIND.true : KIND.false);
    else {
      kinds.push(KIND.key);
      keys.push(value);
    }
  }

  function putAll<T>(items: readonly T[], putOne: (item: T) => void): void {
    put(items.length);
    for (const item of items) putOne(item);
  }

  function putEvent(event: SessionEvent): void {
    put(event.key);
    put(event.kind);
    put(event.run);
    put(event.agent);
    put(event.tool);
    put(event.stop);
    put(event.provider);
    put(event.model);
    putFigures(event);
  }

  function putFigures(figures: EventFigures): void {
    put(figures.input);
    put(figures.output);
    put(figures.cacheRead);
    put(figures.cacheWrite);
    put(figures.cacheWrite1h);
    put(figures.reasoning);
    put(figures.cost);
    put(figures.providerCost);
  }

  function add({ line, offset, length, elapsed, row }: ReadEntry): void {
    put(line);
    put(offset);
    put(length);
    put(elapsed);
    put(row.id);
    put(row.parentId);
    put(row.type);
    put(row.role);
    put(row.timestamp);
    put(row.tool);
    put(row.failed);
    put(row.textHash);
    put(row.time);
    putAll(row.toolCalls, ({ call, name }) => {
      put(call);
      put(name);
    });
    put(row.toolResult?.call ?? null);
    put(row.toolResult?.isError ?? null);
    put(row.toolResult?.duration ?? null);
    putAll(row.nestedCalls, ({ call, name, isError, duration }) => {
      put(call);
      put(name);
      put(isError);
      put(duration);
    });
    putAll(row.touches, ({ path, action, ordinal }) => {
      put(path);
      put(action);
      put(ordinal);
    });
    putAll(row.events, putEvent);
    putAll(row.subagents, ({ agent, sessionFile, artifact }) => {
      put(agent);
      put(sessionFile);
      put(artifact);
    });
    put(row.own?.targetId ?? null);
    if (row.own) putFigures(row.own.figures);
    put(row.label?.targetId ?? null);
    put(row.label?.label ?? null);
  }

  return {
    /** Takes the next entry. */
    add,
    /** What was added since the last time. */
    take(): PackedEntries {
      const packed = {
        kinds: new Uint8Array(kinds),
        numbers: new Float64Array(numbers),
        texts,
        keys: new BigInt64Array(keys),
      };
      kinds = [];
      numbers = [];
      texts = [];
      keys = [];
      return packed;
    },
  };
}

/** The memory of packed entries that can be moved from thread to thread, and need not be copied. */
export function memoryOf({ kinds, numbers, keys }: PackedEntries): ArrayBuffer[] {
  return [kinds.buffer, numbers.buffer, keys.buffer];
}

/** The entries that were packed, in their order, without words and problems. */
export function* unpackEntries({ kinds, numbers, texts, keys }: PackedEntries): Generator<ReadEntry> {
  let kind = 0;
  let number = 0;
  let text = 0;
  let key = 0;

  function take(): Value {
    switch (kinds[kind++]) {
      case KIND.number:
        return numbers[number++] as number;
      case KIND.text:
        return texts[text++] as string;
      case KIND.key:
        return keys[key++] as bigint;
      case KIND.null:
        return null;
      default:
        return kinds[kind - 1] === KIND.true;
    }
  }

  function takeAll<T>(takeOne: () => T): T[] {
    const items: T[] = [];
    for (let left = take() as number; left > 0; left--) items.push(takeOne());
    return items;
  }

  // Fields are taken in the order in which an object literal has them: that in which they were put.
  const takeFigures = (): EventFigures => ({
    input: take() as number,
    output: take() as number,
    cacheRead: take() as number,
    cacheWrite: take() as number,
    cacheWrite1h: take() as number,
    reasoning: take() as number,
    cost: take() as number,
    providerCost: take() as number | null,
  });
  const takeEvent = (): SessionEvent => ({
    key: take() as bigint | null,
    kind: take() as string,
    run: take() as number | null,
    agent: take() as string | null,
    tool: take() as string | null,
    stop: take() as string | null,
    provider: take() as string,
    model: take() as string,
    ...takeFigures(),
  });

  function takeRow(): Extracted {
    const id = take() as EntryId | null;
    const parentId = take() as EntryId | null;
    const type = take() as string;
    const role = take() as string | null;
    const timestamp = take() as number | null;
    const tool = take() as string | null;
    const failed = take() as boolean;
    const textHash = take() as number | null;
    const time = take() as number | null;
    const toolCalls = takeAll(() => ({ call: take() as number, name: take() as string }));
    const call = take() as number | null;
    const isError = take() as boolean | null;
    const duration = take() as number | null;
    const nestedCalls = takeAll(() => ({
      call: take() as number,
      name: take() as string,
      isError: take() as boolean | null,
      duration: take() as number | null,
    }));
    const touches = takeAll(() => ({
      path: take() as string,
      action: take() as TouchAction,
      ordinal: take() as number,
    }));
    const events = takeAll(takeEvent);
    const subagents = takeAll(() => ({
      agent: take() as string | null,
      sessionFile: take() as string | null,
      artifact: take() as string | null,
    }));
    const ownId = take() as EntryId | null;
    const own = ownId === null ? null : { targetId: ownId, figures: takeFigures() };
    const targetId = take() as EntryId | null;
    const label = take() as string | null;
    return {
      id,
      parentId,
      type,
      role,
      timestamp,
      tool,
      failed,
      textHash,
      words: null,
      toolCalls,
      toolResult: call === null || isError === null ? null : { call, isError, duration },
      nestedCalls,
      touches,
      time,
      events,
      own,
      subagents,
      label: targetId === null ? null : { targetId, label },
      problems: [],
    };
  }

  while (kind < kinds.length) {
    yield {
      line: take() as number,
      offset: take() as number,
      length: take() as number,
      elapsed: take() as number | null,
      row: takeRow(),
    };
  }
}
