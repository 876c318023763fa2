import { badOption } from "../../errors.ts";
import type { ContextEditEntry, SessionEntry } from "../session-types.ts";

type Replacement = ContextEditEntry["replacement"];

/** Roles of messages and types of entries with replaceable content. */
const EDITABLE: readonly (string | undefined)[] = ["user", "assistant", "toolResult", "custom_message"];

/**
 * Validates replacement content, because JavaScript callers may pass anything.
 *
 * @throws PidexError `BAD_OPTION`
 */
export function assertValidReplacement(replacement: Replacement): void {
  const content: unknown =
    replacement === null ? "" : (replacement as { content?: unknown } | undefined)?.content;
  if (typeof content === "string" || Array.isArray(content)) return;
  throw badOption(
    "Context edit replacement must be null or contain string/array content",
    "Pass { content }, or null to remove the entry from the context.",
  );
}

/**
 * Converts a replacement to the content type of its target: model responses and tool results need blocks.
 *
 * @throws PidexError `BAD_OPTION` for an entry without content
 */
export function convertReplacement(target: SessionEntry, replacement: Replacement): Replacement {
  const role = target.type === "message" ? target.message?.role : target.type;
  if (!EDITABLE.includes(role)) {
    throw badOption(
      `Entry ${target.id} does not contribute editable model content`,
      "Edit a message of a user, a model, a tool or an extension.",
    );
  }
  const isText = typeof replacement?.content === "string";
  if (!isText || (role !== "assistant" && role !== "toolResult")) return replacement;
  return { content: [{ type: "text", text: replacement.content as string }] };
}
