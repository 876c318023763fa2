import { useParams } from "../shell/address.ts";

/** Lists that show only their largest values until they are opened. */
export type ListName = "series" | "values" | "sessions" | "tools" | "projects" | "models";

/** Whether a list shows all its values, and a function that opens or closes it. The address has it, so going back restores it. */
export function useOpened(name: ListName): [boolean, () => void] {
  const [params, change] = useParams();
  const opened = (params.open ?? "").split(",").filter(Boolean);
  const isOpen = opened.includes(name);
  const next = isOpen ? opened.filter((each) => each !== name) : [...opened, name];
  return [isOpen, () => change({ open: next.join(",") }, "replace")];
}

interface Props {
  name: ListName;
  /** The number of values with their noun: "22 models". */
  all: string;
}

/** A button that shows all values of a list, or only the largest again. */
export function ShowAll({ name, all }: Props) {
  const [isOpen, toggle] = useOpened(name);
  return (
    <button type="button" class="button show-all" aria-expanded={isOpen} onClick={toggle}>
      {isOpen ? `Show fewer ${all.replace(/^\S+ /, "")}` : `Show all ${all}`}
    </button>
  );
}
