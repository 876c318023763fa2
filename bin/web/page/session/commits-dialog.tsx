import { formatCount, formatInteger, toOneLine } from "../../../format/safe.ts";
import { formatMoment, formatWhen } from "../../../format/times.ts";
import type { Answers } from "../../api/answers.ts";
import type { SessionJson } from "../../api/json.ts";
import { useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { Dialog, DialogButtons } from "../shell/dialog.tsx";
import { LoadError } from "../shell/load-error.tsx";
import { NumbersTable } from "../shell/numbers-table.tsx";
import { TableScroll } from "../shell/table-scroll.tsx";
import "../design/numbers.css";
import "./commits-dialog.css";

interface Props {
  session: Pick<SessionJson, "path" | "cwd">;
  onClose: () => void;
}

const COLUMNS = [
  { name: "Commit", isNumber: false },
  {
    name: "Lines",
    isNumber: true,
    hint: "Lines of the commit that the session wrote. A commit that only removes lines has none.",
  },
  { name: "Date", isNumber: false },
];

/** The git commits that contain edits of the session. git is read when the dialog opens. */
export function CommitsDialog({ session, onClose }: Props) {
  const { data, error } = useAnswer("commits", { session: session.path }, useVersion());
  return (
    <Dialog title="Git commits" class="commits" onClose={onClose}>
      {error !== undefined && <LoadError error={error} />}
      {data === undefined && error === undefined && (
        <p class="quiet" role="status">
          Reading the history of {toOneLine(session.cwd)} …
        </p>
      )}
      {data && <Commits {...data} />}
      <DialogButtons cancel="Close" onCancel={onClose} />
    </Dialog>
  );
}

function Commits({ repository, commits }: Answers["commits"]) {
  if (commits.length === 0)
    return (
      <p class="quiet dialog-hint">
        No commit in <bdi>{toOneLine(repository)}</bdi> contains edits of this session.
      </p>
    );
  return (
    <>
      <p class="quiet dialog-hint">
        {formatCount(commits.length, "commit")} in <bdi>{toOneLine(repository)}</bdi> with edits of this
        session, on any branch.
      </p>
      <TableScroll label="Commits">
        <NumbersTable caption="Commits with edits of this session" columns={COLUMNS}>
          <tbody>
            {commits.map(({ commit, subject, committed, lines, removed, confidence }) => (
              <tr key={commit}>
                <td class="commit-subject">
                  <code title={commit}>{commit.slice(0, 10)}</code> <bdi>{toOneLine(subject)}</bdi>
                </td>
                <td
                  class="number"
                  title={removed > 0 ? `Also removes ${formatCount(removed, "line")}` : undefined}
                >
                  {confidence === "likely" && (
                    <span class="quiet" title="Likely, but not certain">
                      likely{" "}
                    </span>
                  )}
                  {formatInteger(lines)}
                </td>
                <td>
                  <time dateTime={committed} title={formatMoment(new Date(committed))}>
                    {formatWhen(new Date(committed))}
                  </time>
                </td>
              </tr>
            ))}
          </tbody>
        </NumbersTable>
      </TableScroll>
    </>
  );
}
