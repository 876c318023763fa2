import { useState } from "preact/hooks";
import { counted } from "../../../format/safe.ts";
import { titleOf } from "../../../format/titles.ts";
import type { SessionAnswer } from "../../api/session-answers.ts";
import { addressOf } from "../shell/ask.ts";
import { AskText, Dialog, DialogButtons } from "../shell/dialog.tsx";
import { DownloadButton } from "../shell/download-button.tsx";
import { Menu } from "../shell/menu.tsx";
import type { Acts } from "./use-acts.ts";

const FORMATS = [
  { format: "html", name: "HTML" },
  { format: "md", name: "Markdown" },
  { format: "jsonl", name: "JSONL" },
];

/** All else that can be done with a session. */
export function MoreActs({ about, acts }: { about: SessionAnswer; acts: Acts }) {
  const { session } = about;
  const [asking, setAsking] = useState<"tags" | "trash">();
  return (
    <>
      <Menu class="button" label="More" summary="⋯" listClass="menu-right">
        {(close) => {
          const entry = (words: string, act: () => unknown, kind = "") => (
            <li>
              <button
                type="button"
                class={`menu-entry ${kind}`}
                onClick={() => {
                  close();
                  void act();
                }}
              >
                {words}
              </button>
            </li>
          );
          return (
            <>
              {entry(session.pinned ? "Unpin" : "Pin", () => acts.pin(!session.pinned))}
              {entry(session.archived ? "Take out of the archive" : "Archive", () =>
                acts.archive(!session.archived),
              )}
              {entry("Tags…", () => setAsking("tags"))}
              {FORMATS.map(({ format, name }) => (
                <li key={format}>
                  <DownloadButton
                    class="menu-entry"
                    address={addressOf("export", { session: session.path, format })}
                  >
                    Export as {name}
                  </DownloadButton>
                </li>
              ))}
              {entry("Move to the trash…", () => setAsking("trash"), "menu-bad")}
            </>
          );
        }}
      </Menu>
      {asking === "tags" && (
        <AskText
          title="Tags"
          label="Tags of this session"
          hint="Separated by commas. None takes all of them away."
          value={session.tags.join(", ")}
          onDone={(text) => acts.tag(text.split(/\s*,\s*/).flatMap((tag) => tag.trim() || []))}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === "trash" && (
        <Dialog title="Move this session to the trash?" onClose={() => setAsking(undefined)}>
          <p class="dialog-text" dir="auto">
            {titleOf(session).slice(0, 200)}
          </p>
          <p class="quiet dialog-hint">
            {counted(session.messageCount, "message")}
            {about.subagents.length > 0 && "; what its subagents wrote below its folder goes along"}. Forks of
            it stay whole.
          </p>
          <DialogButtons cancel="Keep it" onCancel={() => setAsking(undefined)}>
            <button
              type="button"
              class="button button-bad"
              onClick={() => {
                setAsking(undefined);
                void acts.trash();
              }}
            >
              Move to the trash
            </button>
          </DialogButtons>
        </Dialog>
      )}
    </>
  );
}
