import { useState } from "preact/hooks";
import { formatCount } from "../../../format/safe.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import type { SessionAnswer } from "../../api/session-answers.ts";
import { apiUrl } from "../shell/api.ts";
import { TextDialog } from "../shell/dialog.tsx";
import { DownloadButton } from "../shell/download-button.tsx";
import { Menu } from "../shell/menu.tsx";
import { hub } from "../shell/source.ts";
import { TrashDialog } from "../shell/trash-dialog.tsx";
import type { SessionActions } from "./use-session-actions.ts";

const FORMATS = { html: "HTML", md: "Markdown", jsonl: "JSONL" };

interface Props {
  about: SessionAnswer;
  acts: SessionActions;
  onPrint: () => void;
}

/** The menu with further actions on a session. */
export function MoreActions({ about, acts, onPrint }: Props) {
  const { session } = about;
  const [dialog, setDialog] = useState<"tags" | "trash">();
  return (
    <>
      <Menu class="button" label="More" summary="⋯" listClass="menu-right">
        {(close) => {
          const entry = (label: string, action: () => unknown, kind = "") => (
            <li>
              <button
                type="button"
                class={`menu-entry ${kind}`}
                onClick={() => {
                  close();
                  void action();
                }}
              >
                {label}
              </button>
            </li>
          );
          const isOwn = hub.value === undefined;
          return (
            <>
              {isOwn && entry(session.pinned ? "Unpin" : "Pin", () => acts.pin(!session.pinned))}
              {isOwn &&
                entry(session.archived ? "Unarchive" : "Archive", () => acts.archive(!session.archived))}
              {isOwn && entry("Tags…", () => setDialog("tags"))}
              {Object.entries(FORMATS).map(([format, name]) => (
                <li key={format}>
                  <DownloadButton
                    class="menu-entry"
                    address={apiUrl("export", { session: session.path, format })}
                  >
                    Export as {name}
                  </DownloadButton>
                </li>
              ))}
              {entry("Print…", onPrint)}
              {isOwn && entry("Move to trash…", () => setDialog("trash"), "menu-bad")}
            </>
          );
        }}
      </Menu>
      {dialog === "tags" && (
        <TextDialog
          title="Tags"
          label="Tags of this session"
          hint="Separated by commas. Leave empty to remove all tags."
          value={session.tags.join(", ")}
          onDone={(text) => acts.tag(text.split(/\s*,\s*/).flatMap((tag) => tag.trim() || []))}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === "trash" && (
        <TrashDialog what="this session" onMove={acts.trash} onClose={() => setDialog(undefined)}>
          <p class="dialog-text" dir="auto">
            {getSessionTitle(session).slice(0, 200)}
          </p>
          <p class="quiet dialog-hint">
            {formatCount(session.messageCount, "message")}
            {about.subagents.length > 0 && "; subagent sessions in its folder are moved too"}. Its forks are
            not affected.
          </p>
        </TrashDialog>
      )}
    </>
  );
}
