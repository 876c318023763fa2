/** Actions that hand sessions to other programs: the clipboard, an editor, the browser, export files. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { getResumeCommand } from "../actions/resume.ts";
import { formatCount } from "../format/safe.ts";
import { shortId } from "../format/sessions.ts";
import { getSessionTitle } from "../format/titles.ts";
import { copyToClipboard } from "./clipboard.ts";
import type { PickerContext } from "./context.ts";
import { runEditor } from "./editor.ts";
import { shortenPath } from "./frames/paths.ts";
import { locateSession } from "./locate-session.ts";
import type { ShownSession } from "./model/view.ts";
import { confirmPrompt } from "./prompt.ts";
import type { UndoHistory } from "./undo-history.ts";

type Sessions = readonly ShownSession[];

/** Maximum length of the part of a title that a file name contains, in UTF-16 code units. */
const MAX_NAME_LENGTH = 60;

export class SessionOutput {
  readonly #picker: PickerContext;

  readonly #undoable: UndoHistory;

  constructor(picker: PickerContext, undoable: UndoHistory) {
    this.#picker = picker;
    this.#undoable = undoable;
  }

  /** Copies the commands that resume sessions, one per line. */
  async copyCommands(sessions: Sessions): Promise<void> {
    const locating = sessions.map((session) => locateSession(session, this.#picker));
    const local = await this.#picker.showErrors(Promise.all(locating));
    if (local) await this.#copyLines(local, "command", (session) => getResumeCommand(session).line);
    this.#picker.screen.redraw();
  }

  copyIds(sessions: Sessions): Promise<void> {
    return this.#copyLines(sessions, "id", ({ id }) => id);
  }

  copyPaths(sessions: Sessions): Promise<void> {
    return this.#copyLines(sessions, "path", ({ path }) => path);
  }

  #copyLines(sessions: Sessions, what: string, toText: (session: ShownSession) => string): Promise<void> {
    const text = sessions.map(toText).join("\n");
    return this.#copy(text, sessions.length === 1 ? text : formatCount(sessions.length, what));
  }

  /** Copies the text of the last model response. */
  async copyAnswer({ path }: ShownSession): Promise<void> {
    const text = await this.#picker.showErrors(this.#picker.client.call("lastAnswer", path));
    if (text === undefined) this.#picker.showMessage("this session has no answer to copy");
    else await this.#copy(text, text.slice(0, MAX_SHOWN_LENGTH));
    this.#picker.screen.redraw();
  }

  /** Copies the brief of the current branch for another agent, with likely secrets masked. */
  async copyHandoff({ path }: ShownSession): Promise<void> {
    const { client, screen, showErrors, showMessage } = this.#picker;
    showMessage("writing the handoff brief …");
    screen.redraw();
    const brief = await showErrors(client.call("handoff", path));
    if (brief) await this.#copy(brief.text, `the handoff brief (${formatCount(brief.tokens, "token")})`);
    screen.redraw();
  }

  #copy(text: string, shown: string): Promise<void> {
    const { env, screen } = this.#picker;
    const copying = copyToClipboard(text, { env, write: (data) => screen.write(data) });
    return this.#report(
      copying.then(() => `copied: ${shown}`),
      "",
    );
  }

  /** Opens the session in the browser. The page is served while the picker, and the agent it starts, are running. */
  openInBrowser(session: ShownSession): Promise<void> {
    const onFailed = (error: Error) => void this.#report(Promise.reject(error));
    return this.#report(this.#picker.showOnPage(session, onFailed).then(() => "opened in the browser"));
  }

  /** Opens the session's file in the user's editor; asks first if an agent may be writing to it. */
  edit({ path }: ShownSession): Promise<void> {
    const { client, openPromptWhenReady, showMessage } = this.#picker;
    const edit = () => void this.#report(this.#edit(path));
    const cancel = () => showMessage("not edited");
    return openPromptWhenReady(
      client.call("secondsSinceWritten", path).then((seconds) => {
        if (seconds === undefined) {
          edit();
          return undefined;
        }
        const question = `Written ${formatCount(seconds, "second")} ago, an agent may have it open. Edit it?`;
        return confirmPrompt(question, { confirm: edit, cancel });
      }),
    );
  }

  async #edit(path: string): Promise<string> {
    const { client, env, screen, reload } = this.#picker;
    const before = toVersion(path);
    const editor = await screen.lend(() => runEditor(path, env));
    if (toVersion(path) !== before)
      this.#undoable.add({ refusal: `pidex can't undo edits made in ${editor}` });
    await client.call("reindex", [path]);
    await reload(path);
    return `closed ${editor}; changes to the file are indexed`;
  }

  /** Writes each session to a new file in the folder in which the picker was opened. Likely secrets are masked. */
  async export(sessions: Sessions, ending: "html" | "md"): Promise<void> {
    const { cwd, exportSession, showMessage, screen } = this.#picker;
    showMessage("exporting …");
    screen.redraw();
    const files: string[] = [];
    const exporting = async () => {
      for (const session of sessions) {
        const file = toFreePath(join(cwd, toFileName(session)), ending);
        await exportSession(session.path, file);
        files.push(file);
      }
      const [first = ""] = files;
      return files.length === 1
        ? `exported, with secrets masked: ${shortenPath(first)}`
        : `exported ${formatCount(files.length, "session")}, with secrets masked, to ${shortenPath(cwd)}`;
    };
    await this.#report(exporting());
  }

  /** Awaits work and shows its message or error. */
  async #report(work: Promise<string>, end?: string): Promise<void> {
    const message = await this.#picker.showErrors(work);
    if (message !== undefined) this.#picker.showMessage(message, end);
    this.#picker.screen.redraw();
  }
}

/** Differs after the file was changed. */
function toVersion(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : "";
}

/** Maximum length of the start of a copied text in the message, in UTF-16 code units: longer than any terminal line. */
const MAX_SHOWN_LENGTH = 400;

/** A file name without ending: the title's words and the start of the id. */
function toFileName(session: ShownSession): string {
  const words =
    getSessionTitle(session)
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let name = "";
  for (const word of words) {
    if (name.length + word.length >= MAX_NAME_LENGTH) break;
    name += `${word}-`;
  }
  return name + shortId(session.id).replaceAll(/[^\w-]/g, "_");
}

/** The first of `NAME.ending`, `NAME-2.ending` … that does not exist. */
function toFreePath(path: string, ending: string): string {
  for (let n = 1; ; n++) {
    const free = `${path}${n === 1 ? "" : `-${n}`}.${ending}`;
    if (!existsSync(free)) return free;
  }
}
