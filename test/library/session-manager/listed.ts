import { type Session, type SessionOptions, session } from "../../../fixtures/builder.ts";
import type { Implementation } from "./implementations.ts";

export type Info = Awaited<ReturnType<Implementation["SessionManager"]["list"]>>[number];

/** All fields, read one by one, because the text of the messages is a getter. */
export const fields = (info: Info) => ({
  path: info.path,
  id: info.id,
  cwd: info.cwd,
  name: info.name,
  parentSessionPath: info.parentSessionPath,
  created: info.created,
  modified: info.modified,
  messageCount: info.messageCount,
  firstMessage: info.firstMessage,
  allMessagesText: info.allMessagesText,
});
/** A session with messages. */
export const chat = (options: SessionOptions): Session => session(options).user("one").assistant("two");
