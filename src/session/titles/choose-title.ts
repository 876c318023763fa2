/** What a title is chosen from. */
export interface Titled {
  /** Given by the user or the agent. */
  name?: string | undefined;
  computedTitle?: string | undefined;
  firstMessage: string;
}

/** The title of a session: its name, else its computed title, else its first message. */
export function chooseTitle({ name, computedTitle, firstMessage }: Titled): string {
  return name ?? computedTitle ?? firstMessage;
}
