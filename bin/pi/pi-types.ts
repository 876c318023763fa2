/**
 * The part of pi's extension API used here, declared by pidex because it doesn't depend on pi. Pi 0.73 to 1.5 provide all of it
 * except the optional members; a test compiles the extension against pi's own types.
 */
import type { CurrentSession } from "../agents/current-session.ts";

export interface Pi {
  on(event: PiEvent, handler: (event: unknown, ctx: PiContext) => void): unknown;
  registerCommand(name: string, command: PiCommand): void;
  registerTool(tool: PiTool): void;
  sendMessage(
    message: { customType: string; content: string; display: boolean },
    options: { triggerTurn: boolean },
  ): void;
}

export type PiEvent = "session_start" | "session_compact" | "session_tree" | "agent_end" | "session_shutdown";

export interface PiCommand {
  description: string;
  handler(args: string, ctx: PiCommandContext): Promise<void>;
}

export interface PiTool {
  name: string;
  label: string;
  description: string;
  promptSnippet: string;
  promptGuidelines: string[];
  /** A JSON schema. Pi validates arguments with it, whether or not TypeBox created it. */
  parameters: object;
  /** Newer pis pass it to permission prompts. */
  annotations: { readOnlyHint: boolean };
  execute(
    id: string,
    params: unknown,
    signal: AbortSignal | undefined,
    onUpdate: ((partial: PiToolResult) => void) | undefined,
    ctx: PiContext,
  ): Promise<PiToolResult>;
}

export interface PiToolResult {
  content: { type: "text"; text: string }[];
  details: unknown;
}

export interface PiContext {
  ui: PiUi;
  /** Whether pi is interactive; false in print mode. */
  hasUI: boolean;
  cwd: string;
  sessionManager: { getSessionId(): string; getSessionFile(): string | undefined };
}

export interface PiCommandContext extends PiContext {
  /** Missing in older pis. */
  switchSession?(path: string): Promise<{ cancelled: boolean }>;
}

export interface PiUi {
  select(title: string, options: string[]): Promise<string | undefined>;
  input(title: string, placeholder?: string): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  setStatus(key: string, text: string | undefined): void;
  setEditorText(text: string): void;
  getEditorText(): string;
  /** Without a terminal UI (RPC), the factory is not called. */
  custom<T>(
    factory: (
      tui: PiTui,
      theme: PiTheme,
      keybindings: PiKeybindings,
      done: (result: T) => void,
    ) => PiComponent,
  ): Promise<T>;
}

export interface PiTui {
  requestRender(): void;
}

export interface PiTheme {
  fg(color: "accent" | "muted" | "dim" | "error" | "border", text: string): string;
}

export interface PiKeybindings {
  matches(
    data: string,
    key:
      | "tui.select.up"
      | "tui.select.down"
      | "tui.select.pageUp"
      | "tui.select.pageDown"
      | "tui.select.confirm"
      | "tui.select.cancel"
      | "tui.editor.deleteCharBackward"
      | "tui.editor.deleteWordBackward",
  ): boolean;
}

export interface PiComponent {
  render(width: number): string[];
  handleInput(data: string): void;
  invalidate(): void;
  dispose?(): void;
}

/** The current session of a pi context. */
export function getCurrentSession({ sessionManager }: PiContext): CurrentSession {
  return { id: sessionManager.getSessionId(), path: sessionManager.getSessionFile() };
}
