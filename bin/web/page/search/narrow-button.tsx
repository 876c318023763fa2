interface Props {
  class?: string;
  title: string;
  onClick: () => void;
  children: string;
  /** Follows the value, and is not cut off. */
  note?: string | undefined;
}

/** A value of a row that narrows the results to those with it. */
export function NarrowButton({ class: look = "", children, note, ...props }: Props) {
  return (
    <button type="button" class={`narrow ${look}`} {...props}>
      <bdi>{children}</bdi>
      {note !== undefined && <span class="narrow-note"> {note}</span>}
    </button>
  );
}
