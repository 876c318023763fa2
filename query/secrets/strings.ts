/** A string somewhere in a JSON value, or the name of a field, which may be a secret too. */
export interface PlacedString {
  text: string;
  /** The name of the field that it is the value of; none for elements of lists, and for names. */
  field: string | undefined;
  /** The steps that lead there. */
  place: Place;
}

/** A step into a JSON value, and the steps before it. */
interface Place {
  before: Place | undefined;
  step: string | number | undefined;
}

/**
 * All strings in a JSON value, in the order in which it was written. Without recursion: what is nested a hundred
 * thousand deep would overflow the stack.
 */
export function* stringsIn(value: unknown): Generator<PlacedString> {
  const waiting: { value: unknown; place: Place }[] = [
    { value, place: { before: undefined, step: undefined } },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, place } = next;
    if (typeof value === "string") {
      const field = typeof place.step === "string" ? place.step : undefined;
      yield { text: value, field, place };
    } else if (Array.isArray(value)) {
      for (let n = value.length - 1; n >= 0; n--) {
        waiting.push({ value: value[n], place: { before: place, step: n } });
      }
    } else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value).reverse()) {
        waiting.push({ value: inner, place: { before: place, step: name } });
      }
      for (const name of Object.keys(value)) yield { text: name, field: undefined, place };
    }
  }
}

/** A place as people write it: `message.content[0].text`, `data["odd name"]`. */
export function writtenPlace(place: Place, nameOf: (name: string) => string = (name) => name): string {
  const steps: string[] = [];
  for (let at: Place | undefined = place; at?.step !== undefined; at = at.before) {
    const { step } = at;
    if (typeof step === "number") steps.push(`[${step}]`);
    else if (/^[A-Za-z_$][\w$]*$/.test(step)) steps.push(`.${nameOf(step)}`);
    else steps.push(`[${JSON.stringify(nameOf(step))}]`);
  }
  return steps.reverse().join("").replace(/^\./, "");
}
