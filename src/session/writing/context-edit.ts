import { badOption } from "../../errors.ts";
import type { ContextEditEntry, SessionEntry } from "../session-types.ts";

type Replacement = ContextEditEntry["replacement"];

/** Entries that say something to the model which can be replaced: by role, or by type. */
const EDITABLE: readonly (string | undefined)[] = ["user", "assistant", "toolResult", "custom_message"];

/**
 * Checks what is to stand in the place of a message's content: JavaScript callers may give anything.
 *
 * @throws PidexError `BAD_OPTION`
 */
export function assertReplacement(replacement: Replacement): void {
  const content: unknown =
    replacement === null ? "" : (replacement as { content?: unknown } | undefined)?.content;
  if (typeof content === "string" || Array.isArray(content)) return;
  throw badOption(
    "Context edit replacement must be null or contain string/array content",
    "Give { content }, or null to leave the entry out.",
  );
}

/**
 * A replacement in the shape that its target has: answers and tool results hold blocks.
 *
 * @throws PidexError `BAD_OPTION` for an entry that has no content of its own
 */
export function replacementFor(target: SessionEntry, replacement: Replacement): Replacement {
  const role = target.type === "message" ? target.message?.role : target.type;
  if (!EDITABLE.includes(role)) {
    throw badOption(
      `Entry ${target.id} does not contribute editable model content`,
      "Edit a message of a person, a model, a tool or an extension.",
    );
  }
  const isText = typeof replacement?.content === "string";
  if (!isText || (role !== "assistant" && role !== "toolResult")) return replacement;
  return { content: [{ type: "text", text: replacement.content as string }] };
}
