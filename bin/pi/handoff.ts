/** `/handoff`: puts the brief of another session into the editor, to continue its work in this one. */
import { type Command, notify } from "./commands.ts";
import { chooseSession } from "./sessions.ts";

export const handoff: Command = {
  name: "handoff",
  description: "Put a brief of another session into the editor, to continue its work here",
  async run(query, context) {
    const { ctx, ask } = context;
    const session = await chooseSession("handoff", query, context);
    if (session === undefined) return;
    const { text } = await ask("handoff", { session });
    const current = ctx.ui.getEditorText().trim();
    ctx.ui.setEditorText(`${text}\n\n${current || "Continue this work: "}`);
    notify(ctx, "The brief is in the editor: say what to do next.", "info"); // pi redraws the editor only on a notification
  },
};
