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
  trash(): Promise<void>;
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
  const doing = async (question: string, body: object, done: string) => {
    try {
      const { sessions } = await act<OrganisedAnswer>(question, { session: path, ...body });
      const isSame = sessions[0]?.lines.length === 0;
      setState({ done: isSame ? "It is so already." : done, error: undefined });
      return undefined;
    } catch (error) {
      setState({ done: "", error });
      return error;
    }
  };
  return {
    ...state,
    gone,
    rename: (name) => doing("rename", { name }, name === "" ? "It has no name now." : "Renamed."),
    label: (entryId, label) =>
      doing("label", { entryId, label }, label === "" ? "It has no label now." : "Labelled."),
    pin: (pinned) => doing("pin", { pinned }, pinned ? "Pinned." : "No longer pinned."),
    archive: (archived) => doing("archive", { archived }, archived ? "Archived." : "No longer archived."),
    tag: (tags) => doing("tag", { tags }, "Tags changed."),
    async trash() {
      try {
        const { deleted } = await act<TrashedAnswer>("trash", { session: path });
        setGone(deleted[0]);
      } catch (error) {
        setState({ done: "", error });
      }
    },
    async restore() {
      try {
        // Of what is gone, only this still says where it was.
        await act<RestoredAnswer>("restore", { session: gone?.path ?? path });
        setGone(undefined);
        setState({ done: "Restored.", error: undefined });
        return undefined;
      } catch (error) {
        return error;
      }
    },
  };
}
