import { useEffect, useRef, useState } from "preact/hooks";
import { counted } from "../../../format/safe.ts";
import { titleOf } from "../../../format/titles.ts";
import type { SessionAnswer } from "../../api/session-answers.ts";
import { addressOf } from "../shell/ask.ts";
import { DownloadButton } from "../shell/download-button.tsx";
import { AskText, Dialog } from "./dialog.tsx";
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
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  useEffect(() => {
    const elsewhere = ({ target }: Event) => {
      if (!menu.current?.contains(target as Node)) close();
    };
    document.addEventListener("pointerdown", elsewhere);
    return () => document.removeEventListener("pointerdown", elsewhere);
  }, []);
  const entry = (words: string, act: () => unknown, kind = "") => (
    <li>
      <button
        type="button"
        class={`menu-entry ${kind}`}
        onClick={() => {
          // What was clicked is hidden now.
          menu.current?.querySelector("summary")?.focus();
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
      <details
        class="menu"
        ref={menu}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          close();
          menu.current?.querySelector("summary")?.focus();
        }}
      >
        <summary class="button" aria-label="More">
          ⋯
        </summary>
        <ul class="menu-list menu-right card">
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
        </ul>
      </details>
      {asking === "tags" && (
        <AskText
          title="Tags"
          label="Tags of this session"
          hint="Separated by commas. None takes all of them away."
          value={session.tags.join(", ")}
          onDone={(text) =>
            acts.tag(
              text
                .split(",")
                .map((tag) => tag.trim())
                .filter(Boolean),
            )
          }
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
          <div class="dialog-buttons">
            <button type="button" class="button" onClick={() => setAsking(undefined)}>
              Keep it
            </button>
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
          </div>
        </Dialog>
      )}
    </>
  );
}
