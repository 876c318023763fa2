import { type Detector, loadDetector } from "./detector.ts";
import { formatRedactionMark } from "./mask.ts";

/** Replaces secrets by marks and counts them. Created by `loadRedactor`. */
export class Redactor {
  readonly #detector: Detector;
  /** Number of secrets replaced so far, repetitions included. */
  count = 0;
  /** The same by kind. */
  readonly countByKind = new Map<string, number>();

  constructor(detector: Detector) {
    this.#detector = detector;
  }

  /**
   * The text with a mark such as `[redacted github]` in place of each secret. `field` is the name of the JSON field that
   * contains the text, if any.
   */
  redactText(text: string, field?: string): string {
    const matches = this.#detector.find(text, field);
    if (matches.length === 0) return text;
    this.count += matches.length;
    let redacted = "";
    let end = 0;
    for (const match of matches) {
      this.countByKind.set(match.kind, (this.countByKind.get(match.kind) ?? 0) + 1);
      redacted += text.slice(end, match.start) + formatRedactionMark(match.kind);
      end = match.end;
    }
    return redacted + text.slice(end);
  }

  /**
   * A copy of a JSON value in which every string is redacted, including field names. Values that aren't JSON, such as
   * dates, are returned as they are.
   *
   * @param keeps returns true for fields with strings that are copied unchanged
   */
  redactValue<T>(value: T, keeps?: (holder: object, field: string) => boolean): T {
    const result = { value: undefined as unknown };
    const pending: Pending[] = [{ value, into: result, name: "value", field: undefined }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { value, into, name, field } = next;
      if (typeof value === "string") set(into, name, this.redactText(value, field));
      else if (Array.isArray(value)) {
        const copy: unknown[] = new Array(value.length);
        set(into, name, copy);
        for (const [n, inner] of value.entries()) {
          pending.push({ value: inner, into: copy, name: n, field: undefined });
        }
      } else if (isPlain(value)) {
        const copy: Record<string, unknown> = {};
        set(into, name, copy);
        for (const [field, inner] of Object.entries(value)) {
          if (typeof inner === "string" && keeps?.(value, field)) {
            set(copy, field, inner);
            continue;
          }
          const name = freeName(copy, this.redactText(field));
          set(copy, name, undefined); // keeps the order of the fields
          pending.push({ value: inner, into: copy, name, field });
        }
      } else set(into, name, value);
    }
    return result.value as T;
  }
}

/** A value still to be copied, and its destination. */
interface Pending {
  value: unknown;
  into: object;
  name: string | number;
  field: string | undefined;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Defines an own field, even if its name is `__proto__`, which JSON allows. */
function set(into: object, name: string | number, value: unknown): void {
  Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true });
}

/** A name that is not taken: two redacted field names may be equal. */
function freeName(taken: object, name: string): string {
  let free = name;
  for (let n = 2; Object.hasOwn(taken, free); n++) free = `${name} ${n}`;
  return free;
}

/** Creates a redactor with the rules of `pidex secrets`. */
export async function loadRedactor(): Promise<Redactor> {
  return new Redactor(await loadDetector());
}
