import type { EntryCondition, SessionCondition } from "../src/store/conditions.ts";

/** A condition on entries as one on their sessions; undefined if it depends on more than the session. */
export function ofSessionOnly(condition: EntryCondition): SessionCondition | undefined {
  switch (condition.kind) {
    case "session":
      return condition.of;
    case "file":
      return condition;
    case "not": {
      const of = ofSessionOnly(condition.of);
      return of && { kind: "not", of };
    }
    case "all":
    case "any": {
      const of = condition.of.map(ofSessionOnly);
      return of.every((each) => each !== undefined) ? { kind: condition.kind, of } : undefined;
    }
    default:
      return undefined;
  }
}
