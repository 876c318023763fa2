/** Opens the picker: draws the first frame, then loads the rest. */
import { createTheme } from "../format/theme.ts";
import { detectLook } from "../format/themes.ts";
import type { PickerLocation } from "./client.ts";
import type { ExportSession, OpenInBrowser } from "./context.ts";
import { bufferEarlyKeys, CANCELLED_EXIT_CODE } from "./early-keys.ts";
import { drawFirstFrame, ENTER_SCREEN, LEAVE_SCREEN, loadFirstState } from "./first-frame.ts";
import { createState } from "./model/state.ts";
import type { View } from "./model/view.ts";
import type { PickerResult } from "./picker.ts";
import { readSettings, type Settings } from "./settings.ts";
import { openTerminal } from "./tty.ts";

export interface PickOptions extends PickerLocation {
  /** Initial query. */
  query: string;
  /** Initial scope: the current folder's sessions, or all. Default: from the settings. */
  scope: Settings["scope"] | undefined;
  /** Whether the selected session is printed instead of resumed: then its agent and folder need not exist. */
  printsSelection: boolean;
  showOnPage: OpenInBrowser;
  exportSession: ExportSession;
}

/**
 * Shows the picker on the process's terminal until the user selects a session or quits, then restores the terminal.
 *
 * @throws PidexError `BAD_OPTION` if there is no suitable terminal; as `openIndex`
 */
export async function pick({
  query,
  scope,
  printsSelection,
  showOnPage,
  exportSession,
  ...location
}: PickOptions): Promise<PickerResult> {
  const { env } = process;
  const { settings, problems, path: settingsPath } = await readSettings(env);
  const giveBack = openTerminal(env);
  const leave = () => {
    process.stdin.setRawMode?.(false);
    process.stdout.write(LEAVE_SCREEN);
  };
  let restoreKeys = () => {};
  try {
    const theme = createTheme(env);
    const write = (text: string) => void process.stdout.write(text);
    const screen = { theme, columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
    const cwd = process.cwd();
    const view: View = {
      query,
      cwd: (scope ?? settings.scope) === "folder" ? cwd : undefined,
      sort: settings.sort === "threaded" ? "threaded" : "newest",
      newestHits: settings.sort === "newest",
      named: false,
      archived: settings.archived,
      subagents: settings.subagents,
    };
    process.stdin.setRawMode?.(true); // first, so that keys are buffered for the picker and not echoed
    restoreKeys = bufferEarlyKeys(() => {
      leave();
      giveBack();
      process.exit(CANCELLED_EXIT_CODE); // opening the index may wait for another process, and cannot be cancelled
    });
    write(ENTER_SCREEN);
    const look = detectLook(settings.theme, env);
    drawFirstFrame({ ...createState(view), isOpening: true, look }, screen, settings.preview, write);
    const notices = [...problems];
    const state = await loadFirstState(location, view, screen.rows, (notice) => notices.push(notice));
    state.look = look;
    if (location.hub) {
      state.isSyncing = false;
      notices.push(`sessions of ${new URL(location.hub.url).host}, read-only`);
    }
    drawFirstFrame(state, screen, settings.preview, write);
    const [{ Picker }, { openPickerClient }, { syncInBackground }, { KeyBindings }] = await Promise.all([
      import("./picker.ts"),
      import("./client.ts"),
      import("./background-sync.ts"),
      import("./keys/key-bindings.ts"),
    ]);
    const client = openPickerClient(location, (notice) => picker.onSyncMessage({ notice }));
    void client.start().catch(() => {}); // starts it while the picker is created
    const keys = new KeyBindings(settings.keys);
    const picker = new Picker({
      state,
      client,
      keys,
      theme,
      settings,
      settingsPath,
      cwd,
      env,
      printsSelection,
      hub: location.hub,
      showOnPage,
      exportSession,
      notices,
    });
    restoreKeys();
    const ending = picker.run(); // requests the list before the first sync starts
    const backgroundSync = location.hub
      ? undefined // machines push to the hub
      : syncInBackground(location, client, (message) => picker.onSyncMessage(message));
    if (backgroundSync) picker.onPress = backgroundSync.onKey;
    try {
      return await ending;
    } finally {
      await Promise.all([client.close(), backgroundSync?.close()]);
    }
  } catch (error) {
    restoreKeys();
    leave();
    throw error;
  } finally {
    giveBack();
  }
}
