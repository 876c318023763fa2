/** What can be done to the session that is shown. */
import { useState } from "preact/hooks";
import type { OrganisedAnswer, RestoredAnswer, TrashedAnswer } from "../../api/session-answers.ts";
import { act } from "../shell/ask.ts";

/** What can be done. Each gives the error that kept it from being done, or undefined. */
export interface Acts {
  rename(name: string): Promise<unknown>;
  label(entryId: string, label: string): Promise<unknown>;
  pin(pinned: boolean): Promise<unknown>;
  archive(archived: boolean): Promise<unknown>;
  tag(tags: string[]): Promise<unknown>;
  trash(): Promise<unknown>;
  /** Brings it back from the trash. */
  restore(): Promise<unknown>;
  /** What was done last, in a few words. */
  done: string;
  error: unknown;
  /** Where it went, once it is in the trash. */
  gone: TrashedAnswer["deleted"][number] | undefined;
}

/** Each is told when it is done: what changed comes by the changes that every page hears of. */
export function useActs(path: string): Acts {
  const [gone, setGone] = useState<Acts["gone"]>();
  const [state, setState] = useState<{ done: string; error: unknown }>({ done: "", error: undefined });
  const run = async <T>(question: string, body: object, report: (answer: T) => string): Promise<unknown> => {
    try {
      setState({ done: report(await act<T>(question, { session: path, ...body })), error: undefined });
      return undefined;
    } catch (error) {
      setState({ done: "", error });
      return error;
    }
  };
  const change = (question: string, body: object, done: string) =>
    run<OrganisedAnswer>(question, body, ({ sessions: [changed] }) =>
      changed?.lines.length === 0 ? "It is so already." : done,
    );
  return {
    ...state,
    gone,
    rename: (name) => change("rename", { name }, name === "" ? "It has no name now." : "Renamed."),
    label: (entryId, label) =>
      change("label", { entryId, label }, label === "" ? "It has no label now." : "Labelled."),
    pin: (pinned) => change("pin", { pinned }, pinned ? "Pinned." : "No longer pinned."),
    archive: (archived) => change("archive", { archived }, archived ? "Archived." : "No longer archived."),
    tag: (tags) => change("tag", { tags }, "Tags changed."),
    trash: () =>
      run<TrashedAnswer>("trash", {}, ({ deleted }) => {
        setGone(deleted[0]);
        return "";
      }),
    // Of what is gone, only its path still says where it was.
    restore: () =>
      run<RestoredAnswer>("restore", { session: gone?.path ?? path }, () => {
        setGone(undefined);
        return "Restored.";
      }),
  };
}
