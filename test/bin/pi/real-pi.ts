/** The published pi 0.73.1, which `npm run peer` installs in test/peer, in this process, with our extension and a model that says what a test scripts. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { BUILT_EXTENSION } from "../../built.ts";
import { temporaryFolder } from "../../temporary.ts";
import { indexProcesses } from "./index-processes.ts";

const PACKAGES = join(import.meta.dirname, "../../peer/node_modules/@mariozechner");
const PI = join(PACKAGES, "pi-coding-agent/dist/index.js");

/** As much of pi as is used. */
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
  /** What pi told the user, each with its kind in front. */
  notices: string[];
  /** What pi says went wrong in extensions. */
  errors: string[];
  /** What is in the editor. */
  editor(): string;
  /** Sessions that were changed to. */
  switched: string[];
}

export interface PiOptions {
  cwd: string;
  /** What the model says, one after the other. */
  says?: (faux: FauxModule) => unknown[];
  /** What the user chooses of the texts of a question. */
  choose?: (texts: string[]) => string | undefined;
  /** pi prints, and nobody can choose. */
  hasScreen?: boolean;
}

export async function openPi({ cwd, says, choose, hasScreen = true }: PiOptions): Promise<OpenPi> {
  const pi = (await import(pathToFileURL(PI).href)) as PiModule;
  const faux = (await import(pathToFileURL(join(PACKAGES, "pi-ai/dist/index.js")).href)) as FauxModule;
  const agentDir = temporaryFolder();
  mkdirSync(cwd, { recursive: true });
  const haveEnded = indexProcesses();
  const provider = faux.registerFauxProvider();
  provider.setResponses(says?.(faux) ?? []);
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
  const [notices, errors, switched]: [string[], string[], string[]] = [[], [], []];
  let editor = "";
  const uiContext = {
    notify: (text: string, type = "info") => void notices.push(`${type}: ${text}`),
    select: async (_: string, texts: string[]) => choose?.(texts),
    input: async () => undefined,
    custom: async () => undefined,
    setStatus: () => {},
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
  return { session, loaded: extensionsResult, notices, errors, switched, editor: () => editor };
}
