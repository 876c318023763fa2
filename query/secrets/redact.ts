import { type Detector, loadDetector } from "./detector.ts";
import { mark } from "./mask.ts";

/** Puts marks in the place of secrets, and counts them. `loadRedactor` makes one. */
export class Redactor {
  readonly #detector: Detector;
  /** How many secrets were masked so far, each as often as it stood there. */
  count = 0;

  constructor(detector: Detector) {
    this.#detector = detector;
  }

  /**
   * A text with a mark such as `[redacted github]` in place of each secret. `field` is the name of the field that it is
   * the value of, where that may tell something.
   */
  text(text: string, field?: string): string {
    const matches = this.#detector.find(text, field);
    if (matches.length === 0) return text;
    this.count += matches.length;
    let redacted = "";
    let end = 0;
    for (const match of matches) {
      redacted += text.slice(end, match.start) + mark(match.kind);
      end = match.end;
    }
    return redacted + text.slice(end);
  }

  /**
   * A copy of a JSON value in which every string is masked, names of fields too. Dates and what else
   * is no JSON stay as they are.
   */
  value<T>(value: T): T {
    const whole = { value: undefined as unknown };
    const waiting: Waiting[] = [{ value, into: whole, name: "value", field: undefined }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { value, into, name, field } = next;
      if (typeof value === "string") set(into, name, this.text(value, field));
      else if (Array.isArray(value)) {
        const copy: unknown[] = new Array(value.length);
        set(into, name, copy);
        for (const [n, inner] of value.entries()) {
          waiting.push({ value: inner, into: copy, name: n, field: undefined });
        }
      } else if (isPlain(value)) {
        const copy: Record<string, unknown> = {};
        set(into, name, copy);
        for (const [field, inner] of Object.entries(value)) {
          const name = freeName(copy, this.text(field));
          set(copy, name, undefined); // now, so that the fields keep their order
          waiting.push({ value: inner, into: copy, name, field });
        }
      } else set(into, name, value);
    }
    return whole.value as T;
  }
}

interface Waiting {
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

/** Sets a field of its own, whatever it is called: `__proto__` is a name that JSON may have. */
function set(into: object, name: string | number, value: unknown): void {
  Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Two names may be secrets of one kind. */
function freeName(taken: object, name: string): string {
  let free = name;
  for (let n = 2; Object.hasOwn(taken, free); n++) free = `${name} ${n}`;
  return free;
}

/** What masks secrets, by the rules that `pidex scan` goes by. */
export async function loadRedactor(): Promise<Redactor> {
  return new Redactor(await loadDetector());
}
