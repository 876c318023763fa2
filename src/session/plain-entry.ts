import { isRecord } from "./json.ts";

/**
 * True if an entry is a valid message of a common kind, which `parseEntry` would return as is; false means that `parseEntry` must
 * decide. Avoids loading the schemas, which takes longer than a short command.
 */
export function isPlainEntry(entry: Record<string, unknown>): boolean {
  const { type, id, parentId, timestamp, message } = entry;
  if (type !== "message" || !isId(id) || !isId(parentId) || !isText(timestamp)) return false;
  return (
    isRecord(message) && isTime(message.timestamp) && isContent(message.content) && hasValidFields(message)
  );
}

function hasValidFields(message: Record<string, unknown>): boolean {
  switch (message.role) {
    case "user":
      return true;
    case "assistant": {
      const { api, provider, model, responseModel, usage, stopReason, errorMessage } = message;
      const { durationMs, thinkingLevel, providerThinkingLevel, rawStopReason, endTurn } = message;
      return (
        [api, provider, model, responseModel, stopReason, errorMessage].every(isText) &&
        [thinkingLevel, providerThinkingLevel, rawStopReason].every(isNullableText) &&
        isDuration(durationMs) &&
        (isNil(endTurn) || typeof endTurn === "boolean") &&
        (isNil(usage) || isUsage(usage))
      );
    }
    case "toolResult": {
      const { toolCallId, toolName, isError, usage, durationMs } = message;
      return (
        isText(toolCallId) &&
        isText(toolName) &&
        (isError === undefined || typeof isError === "boolean") &&
        isNil(usage) &&
        isDuration(durationMs)
      );
    }
    default:
      return false;
  }
}

function isContent(content: unknown): boolean {
  return typeof content === "string" || isNil(content) || (Array.isArray(content) && content.every(isBlock));
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
        isNullableText(block.namespace) &&
        (isNil(block.arguments) || isRecord(block.arguments))
      );
    default:
      return false;
  }
}

const TOKENS = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "totalTokens"];
const DOLLARS = ["input", "output", "cacheRead", "cacheWrite", "total"];
/** Below the bounds in `entries.ts`. */
const MAX_PLAIN_TOKENS = 1e9;
const MAX_PLAIN_DOLLARS = 1e3;

function isUsage(usage: unknown): boolean {
  if (!isRecord(usage)) return false;
  const { cost } = usage;
  if (!TOKENS.every((key) => isFigure(usage[key], MAX_PLAIN_TOKENS))) return false;
  if (isNil(cost)) return true;
  if (typeof cost === "number") return isFigure(cost, MAX_PLAIN_DOLLARS);
  return (
    isRecord(cost) &&
    cost.totalFromProvider === undefined &&
    DOLLARS.every((key) => isFigure(cost[key], MAX_PLAIN_DOLLARS))
  );
}

function isFigure(value: unknown, max: number): boolean {
  return value === undefined || (typeof value === "number" && value >= 0 && value <= max);
}

/** Unix milliseconds within the range of Date. */
function isTime(value: unknown): boolean {
  return isFigure(value, 8e15);
}

function isId(value: unknown): boolean {
  return isNil(value) || typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isNullableText(value: unknown): boolean {
  return isNil(value) || typeof value === "string";
}

function isDuration(value: unknown): boolean {
  return isNil(value) || isFigure(value, 1e15);
}

function isNil(value: unknown): boolean {
  return value === undefined || value === null;
}
