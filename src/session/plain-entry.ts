import { isRecord } from "./json.ts";

/**
 * Whether an entry is a message of a common kind without any fault, so that `parseEntry` would give it back as it is. False
 * means no more than that it must be asked: its schemas take longer to load than a short answer takes.
 */
export function isPlainEntry(entry: Record<string, unknown>): boolean {
  const { type, id, parentId, timestamp, message } = entry;
  if (type !== "message" || !isId(id) || !isId(parentId) || !isText(timestamp)) return false;
  return (
    isRecord(message) && isTime(message.timestamp) && isContent(message.content) && hasOwnFields(message)
  );
}

function hasOwnFields(message: Record<string, unknown>): boolean {
  switch (message.role) {
    case "user":
      return true;
    case "assistant": {
      const { api, provider, model, responseModel, usage, stopReason, errorMessage } = message;
      const { durationMs, thinkingLevel, providerThinkingLevel, rawStopReason, endTurn } = message;
      return (
        [api, provider, model, responseModel, stopReason, errorMessage].every(isText) &&
        [thinkingLevel, providerThinkingLevel, rawStopReason].every(isNewText) &&
        isDuration(durationMs) &&
        (isNothing(endTurn) || typeof endTurn === "boolean") &&
        (isNothing(usage) || isUsage(usage))
      );
    }
    case "toolResult": {
      const { toolCallId, toolName, isError, usage, durationMs } = message;
      return (
        isText(toolCallId) &&
        isText(toolName) &&
        (isError === undefined || typeof isError === "boolean") &&
        isNothing(usage) &&
        isDuration(durationMs)
      );
    }
    default:
      return false;
  }
}

function isContent(content: unknown): boolean {
  return (
    typeof content === "string" || isNothing(content) || (Array.isArray(content) && content.every(isBlock))
  );
}

function isBlock(block: unknown): boolean {
  if (!isRecord(block)) return false;
  switch (block.type) {
    case "text":
      return isText(block.text);
    case "thinking":
      return isText(block.thinking);
    case "toolCall":
      return (
        isText(block.id) &&
        isText(block.name) &&
        isNewText(block.namespace) &&
        (isNothing(block.arguments) || isRecord(block.arguments))
      );
    default:
      return false;
  }
}

const TOKENS = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "totalTokens"];
const DOLLARS = ["input", "output", "cacheRead", "cacheWrite", "total"];
/** Below the bounds that `entries.ts` has. */
const SURELY_FEW_TOKENS = 1e9;
const SURELY_FEW_DOLLARS = 1e3;

function isUsage(usage: unknown): boolean {
  if (!isRecord(usage)) return false;
  const { cost } = usage;
  if (!TOKENS.every((key) => isFigure(usage[key], SURELY_FEW_TOKENS))) return false;
  if (isNothing(cost)) return true;
  if (typeof cost === "number") return isFigure(cost, SURELY_FEW_DOLLARS);
  return (
    isRecord(cost) &&
    cost.totalFromProvider === undefined &&
    DOLLARS.every((key) => isFigure(cost[key], SURELY_FEW_DOLLARS))
  );
}

function isFigure(value: unknown, most: number): boolean {
  return value === undefined || (typeof value === "number" && value >= 0 && value <= most);
}

/** Any time that a Date can hold, and that is near enough to be one. */
function isTime(value: unknown): boolean {
  return isFigure(value, 8e15);
}

function isId(value: unknown): boolean {
  return (
    isNothing(value) || typeof value === "string" || (typeof value === "number" && Number.isFinite(value))
  );
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isNewText(value: unknown): boolean {
  return isNothing(value) || typeof value === "string";
}

function isDuration(value: unknown): boolean {
  return isNothing(value) || isFigure(value, 1e15);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
