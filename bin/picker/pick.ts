/** Opens the picker: draws the first frame, then loads the rest. */
import type { IndexPlace } from "../actions/synced.ts";
import { themeOf } from "../format/theme.ts";
import { EarlyKeys, NOTHING_CHOSEN } from "./early-keys.ts";
import { drawFirst, enter, firstState, LEAVE } from "./first-frame.ts";
import { beginning } from "./model/state.ts";
import type { View } from "./model/view.ts";
import type { Ending } from "./picker.ts";
import type { ShowOnPage } from "./session-acts.ts";
import { readSettings, type Settings } from "./settings.ts";
import { takeTerminal } from "./tty.ts";

export interface PickOptions extends IndexPlace {
  /** Initial query. */
  query: string;
  /** Initial scope: the current folder's sessions, or all. Default: from the settings. */
  scope: Settings["scope"] | undefined;
  /** Whether the selected session is printed instead of resumed: then its agent and folder need not exist. */
  prints: boolean;
  /** Opens a session in the browser. */
  showOnPage: ShowOnPage;
}

/**
 * Shows the picker on the process's terminal until the user selects a session or quits, then restores the terminal.
 *
 * @throws PidexError `BAD_OPTION` if there is no suitable terminal; as `openIndex`
 */
export async function pick({ query, scope, prints, showOnPage, ...place }: PickOptions): Promise<Ending> {
  const { env } = process;
  const { settings, complaints, path: settingsPath } = await readSettings(env);
  const giveBack = takeTerminal(env);
  const leave = () => {
    process.stdin.setRawMode?.(false);
    process.stdout.write(LEAVE);
  };
  let earlyKeys: EarlyKeys | undefined;
  try {
    const theme = themeOf(env);
    const write = (text: string) => void process.stdout.write(text);
    const size = { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
    const cwd = process.cwd();
    const view: View = {
      query,
      cwd: (scope ?? settings.scope) === "folder" ? cwd : undefined,
      sort: settings.sort,
      named: false,
      archived: settings.archived,
      subagents: settings.subagents,
    };
    process.stdin.setRawMode?.(true); // first, so that keys are buffered for the picker and not echoed
    earlyKeys = new EarlyKeys(() => {
      leave();
      giveBack();
      process.exit(NOTHING_CHOSEN); // opening the index may wait for another process, and cannot be cancelled
    });
    enter(write);
    drawFirst(beginning(view), size, theme, settings.preview, write);
    const notices = [...complaints];
    const state = await firstState(place, view, size.rows, (notice) => notices.push(notice));
    drawFirst(state, size, theme, settings.preview, write);
    const [{ Picker }, { openAsker }, { KeepingUp }, { Keys }] = await Promise.all([
      import("./picker.ts"),
      import("./asker.ts"),
      import("./keeping-up.ts"),
      import("./keys/keys.ts"),
    ]);
    const asker = openAsker(place, (notice) => picker.synced({ notice }));
    void asker.begin().catch(() => {}); // starts it while the picker is created
    const keys = new Keys(settings.keys);
    const picker = new Picker({
      state,
      asker,
      keys,
      theme,
      settings,
      settingsPath,
      cwd,
      env,
      prints,
      showOnPage,
      notices,
    });
    earlyKeys.end();
    const ending = picker.run(); // requests the list before the first sync starts
    const keepingUp = new KeepingUp(place, asker, (event) => picker.synced(event));
    picker.onPress = () => keepingUp.pressed();
    try {
      return await ending;
    } finally {
      await Promise.all([asker.close(), keepingUp.close()]);
    }
  } catch (error) {
    earlyKeys?.end();
    leave();
    throw error;
  } finally {
    giveBack();
  }
}
