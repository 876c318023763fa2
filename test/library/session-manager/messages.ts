/** Messages as an agent appends them. */

const usage = {
  input: 10,
  output: 2,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 12,
  cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 },
};

export const aUsage = usage;

export const user = (text: string, timestamp = 1_767_600_000_000) => ({
  role: "user" as const,
  content: [{ type: "text" as const, text }],
  timestamp,
});

export const assistant = (text: string, timestamp = 1_767_600_001_000) => ({
  role: "assistant" as const,
  content: [{ type: "text" as const, text }],
  api: "anthropic-messages",
  provider: "anthropic",
  model: "claude-sonnet-4-5",
  usage,
  stopReason: "stop" as const,
  timestamp,
});

export const toolResult = (text: string, timestamp = 1_767_600_002_000) => ({
  role: "toolResult" as const,
  toolCallId: "toolu_1",
  toolName: "read",
  content: [{ type: "text" as const, text }],
  isError: false,
  timestamp,
});

export const bash = (command: string, timestamp = 1_767_600_003_000) => ({
  role: "bashExecution" as const,
  command,
  output: "done",
  exitCode: 0,
  cancelled: false,
  truncated: false,
  timestamp,
});

export const custom = (content: string, timestamp = 1_767_600_004_000) => ({
  role: "custom" as const,
  customType: "note",
  content,
  display: true,
  timestamp,
});

export const system = (content: string, timestamp = 1_767_600_005_000) => ({
  role: "system" as const,
  content,
  timestamp,
});
