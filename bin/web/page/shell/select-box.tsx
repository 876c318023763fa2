interface Props {
  /** Of the row's session. */
  title: string;
  isSelected: boolean;
  /** `isRange`: Shift was held, which selects all rows from the last one. */
  onSelect: (isSelected: boolean, isRange: boolean) => void;
}

/** The checkbox of a row in a list of sessions. */
export function SelectBox({ title, isSelected, onSelect }: Props) {
  return (
    <label class="result-select">
      <input
        type="checkbox"
        class="result-check"
        aria-label={`Select ${title.slice(0, 80)}`}
        checked={isSelected}
        onClick={({ currentTarget, shiftKey }) => onSelect(currentTarget.checked, shiftKey)}
      />
    </label>
  );
}
