import { PidexError } from "../../library/index.ts";
import { changeMetadata, showMetadata } from "./change-metadata.ts";
import type { Io } from "./io.ts";
import type { WriteFlags } from "./write-flags.ts";

interface Flags extends WriteFlags {
  clear?: boolean;
}

/** `pidex name`: sets, removes or shows the name of a session. */
export async function run(io: Io, [session = "", ...words]: string[], flags: Flags): Promise<number> {
  const name = words
    .join(" ")
    .replace(/[\r\n]+/g, " ")
    .trim();
  if (words.length > 0 && (name === "" || flags.clear)) {
    const what = flags.clear ? "a name conflicts with --clear" : "the name is empty";
    throw new PidexError("BAD_OPTION", what, "Pass a name to set it, or --clear to remove it.");
  }
  if (words.length === 0 && !flags.clear) {
    const values = (organised: { name?: string }) => (organised.name ? [organised.name] : []);
    return showMetadata(io, session, flags, { values, nothing: "no name" });
  }
  return changeMetadata(io, [session], flags, {
    change: (manager) => ((manager.getSessionName() ?? "") === name ? undefined : manager.setName(name)),
    describe: (organised) => (organised.name ? `named ${organised.name}` : "no name"),
  });
}
