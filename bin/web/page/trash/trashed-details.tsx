/** What is known of a session in the trash, to decide whether to restore it. */
import { formatCount, toOneLine } from "../../../format/safe.ts";
import { formatMoment } from "../../../format/times.ts";
import type { Answers } from "../../api/answers.ts";

/** Longer first messages are cut, in UTF-16 units. */
const MAX_MESSAGE_LENGTH = 2000;

export function TrashedDetails({ session }: { session: Answers["trashed"]["trashed"][number] }) {
  const { firstMessage, cwd, path, trashPath, created, modified, along } = session;
  const text =
    firstMessage.length > MAX_MESSAGE_LENGTH ? `${firstMessage.slice(0, MAX_MESSAGE_LENGTH)}…` : firstMessage;
  const facts: [name: string, value: string][] = [
    ...(cwd === "" ? [] : [["Folder", toOneLine(cwd)] satisfies [string, string]]),
    ...(created === undefined
      ? []
      : [["Created", formatMoment(new Date(created))] satisfies [string, string]]),
    ["Last active", formatMoment(new Date(modified))],
    ["Restored to", toOneLine(path)],
    ["File in the trash", toOneLine(trashPath)],
  ];
  return (
    <div class="trash-details">
      {text !== "" && (
        <blockquote class="trash-message" dir="auto">
          {text}
        </blockquote>
      )}
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {along.length > 0 && (
        <p>
          Restored with it: {formatCount(along.length, "file or folder", "files and folders")} of its
          subagents.
        </p>
      )}
      <p>Restore the session to read all of it.</p>
    </div>
  );
}
