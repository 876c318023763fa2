/** The published pi 0.73.1, installed in test/peer by `npm run peer`, in this process, with the extension and a model with scripted responses. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { BUILT_EXTENSION } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";
import { indexProcesses } from "./index-processes.ts";

const PACKAGES = join(import.meta.dirname, "../../peer/node_modules/@mariozechner");
const PI = join(PACKAGES, "pi-coding-agent/dist/index.js");

/** The used part of pi. */
interface PiModule {
  createAgentSession(options: object): Promise<{ session: PiSession; extensionsResult: LoadedExtensions }>;
  DefaultResourceLoader: new (options: object) => { reload(): Promise<void> };
  AuthStorage: { inMemory(data: object): object };
  ModelRegistry: { inMemory(auth: object): object };
  SettingsManager: { inMemory(): object };
  SessionManager: { create(cwd: string, folder: string): { getSessionFile(): string | undefined } };
}

interface FauxModule {
  registerFauxProvider(): {
    getModel(): { provider: string };
    setResponses(all: unknown[]): void;
    unregister(): void;
  };
  fauxAssistantMessage(content: unknown, options?: object): unknown;
  fauxToolCall(name: string, given: object): unknown;
}

export interface LoadedExtensions {
  extensions: {
    commands: Map<string, unknown>;
    tools: Map<string, { definition: { parameters: object } }>;
  }[];
  errors: { path: string; error: string }[];
}

interface PiSession {
  prompt(text: string): Promise<void>;
  bindExtensions(bindings: object): Promise<void>;
  dispose(): void;
  sessionFile: string | undefined;
  extensionRunner: { emit(event: object): Promise<void> };
  messages: { role: string; isError?: boolean; content: { type: string; text?: string }[] | string }[];
}

export interface OpenPi {
  session: PiSession;
  loaded: LoadedExtensions;
  /** Notifications to the user, prefixed with their type. */
  notices: string[];
  /** Entries of the footer, each with its name, in the order in which they were set. */
  statuses: string[];
  /** Errors of extensions that pi reports. */
  errors: string[];
  /** The text in the editor. */
  editor(): string;
  /** Sessions switched to. */
  switched: string[];
}

export interface PiOptions {
  cwd: string;
  /** Responses of the model, in order. */
  says?: (mockModel: FauxModule) => unknown[];
  /** Selects one of the texts of a prompt. */
  choose?: (texts: string[]) => string | undefined;
  /** Print mode, without a UI. */
  hasScreen?: boolean;
}

export async function openPi({ cwd, says, choose, hasScreen = true }: PiOptions): Promise<OpenPi> {
  const pi = (await import(pathToFileURL(PI).href)) as PiModule;
  const mockModel = (await import(pathToFileURL(join(PACKAGES, "pi-ai/dist/index.js")).href)) as FauxModule;
  const agentDir = temporaryFolder();
  mkdirSync(cwd, { recursive: true });
  const haveEnded = indexProcesses();
  const provider = mockModel.registerFauxProvider();
  provider.setResponses(says?.(mockModel) ?? []);
  const authStorage = pi.AuthStorage.inMemory({
    [provider.getModel().provider]: { type: "api_key", key: "none" },
  });
  const settingsManager = pi.SettingsManager.inMemory();
  const additionalExtensionPaths = [BUILT_EXTENSION];
  const resourceLoader = new pi.DefaultResourceLoader({
    ...{ cwd, agentDir, settingsManager, additionalExtensionPaths },
    ...{ noSkills: true, noPromptTemplates: true, noThemes: true, noContextFiles: true },
  });
  await resourceLoader.reload();
  const { session, extensionsResult } = await pi.createAgentSession({
    ...{ cwd, agentDir, authStorage, settingsManager, resourceLoader },
    modelRegistry: pi.ModelRegistry.inMemory(authStorage),
    model: provider.getModel(),
    sessionManager: pi.SessionManager.create(cwd, join(agentDir, "sessions")),
  });
  const [notices, errors, switched, statuses]: [string[], string[], string[], string[]] = [[], [], [], []];
  let editor = "";
  const uiContext = {
    notify: (text: string, type = "info") => void notices.push(`${type}: ${text}`),
    select: async (_: string, texts: string[]) => choose?.(texts),
    input: async () => undefined,
    custom: async () => undefined,
    setStatus: (key: string, text?: string) => void statuses.push(`${key}: ${text}`),
    getEditorText: () => editor,
    setEditorText(text: string) {
      editor = text;
    },
  };
  const switchSession = async (path: string) => {
    switched.push(path);
    return { cancelled: false };
  };
  await session.bindExtensions({
    ...(hasScreen && { uiContext }),
    commandContextActions: { switchSession },
    onError: ({ error }: { error: string }) => errors.push(error),
  });
  onTestFinished(async () => {
    await session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
    session.dispose();
    provider.unregister();
    await haveEnded();
  });
  return { session, loaded: extensionsResult, notices, errors, switched, statuses, editor: () => editor };
}
