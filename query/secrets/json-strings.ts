/** A string within a JSON value, or the name of a field, which may be a secret too. */
export interface JsonString {
  text: string;
  /** The name of its field; undefined for array elements and field names. */
  field: string | undefined;
  path: JsonPath;
}

/** A path into a JSON value as a linked list, last step first. */
interface JsonPath {
  parent: JsonPath | undefined;
  step: string | number | undefined;
}

/** All strings in a JSON value, in document order. Not recursive: deep nesting would overflow the stack. */
export function* walkStrings(value: unknown): Generator<JsonString> {
  const pending: { value: unknown; path: JsonPath }[] = [
    { value, path: { parent: undefined, step: undefined } },
  ];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, path } = next;
    if (typeof value === "string") {
      const field = typeof path.step === "string" ? path.step : undefined;
      yield { text: value, field, path };
    } else if (Array.isArray(value)) {
      for (let n = value.length - 1; n >= 0; n--) {
        pending.push({ value: value[n], path: { parent: path, step: n } });
      }
    } else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value).reverse()) {
        pending.push({ value: inner, path: { parent: path, step: name } });
      }
      for (const name of Object.keys(value)) yield { text: name, field: undefined, path };
    }
  }
}

/** A path in JavaScript notation: `message.content[0].text`, `data["odd name"]`. */
export function formatJsonPath(path: JsonPath, mapName: (name: string) => string = (name) => name): string {
  const steps: string[] = [];
  for (let node: JsonPath | undefined = path; node?.step !== undefined; node = node.parent) {
    const { step } = node;
    if (typeof step === "number") steps.push(`[${step}]`);
    else if (/^[A-Za-z_$][\w$]*$/.test(step)) steps.push(`.${mapName(step)}`);
    else steps.push(`[${JSON.stringify(mapName(step))}]`);
  }
  return steps.reverse().join("").replace(/^\./, "");
}
