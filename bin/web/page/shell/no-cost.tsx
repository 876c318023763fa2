/** In place of a cost where none was recorded: nothing would look like a figure that is missing. */
export function NoCost({ class: look }: { class?: string }) {
  return (
    <span class={look} title="The agent recorded no cost">
      <span aria-hidden="true">–</span>
      <span class="unseen">no cost recorded</span>
    </span>
  );
}
