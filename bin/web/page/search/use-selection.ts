import { useCallback, useRef, useState } from "preact/hooks";

const NONE: ReadonlySet<string> = new Set();

/** The selected rows of a list. @param paths identify the rows, in their order */
export function useSelection(paths: readonly string[]) {
  const [selected, setSelected] = useState(NONE);
  const shown = useRef(paths);
  shown.current = paths;
  const last = useRef<string>(undefined);
  const select = useCallback((path: string, isSelected: boolean, isRange: boolean) => {
    const [from, to] = [
      isRange && last.current ? shown.current.indexOf(last.current) : -1,
      shown.current.indexOf(path),
    ];
    const changed = from < 0 ? [path] : shown.current.slice(Math.min(from, to), Math.max(from, to) + 1);
    last.current = path;
    setSelected((before) => {
      const after = new Set(before);
      for (const each of changed) isSelected ? after.add(each) : after.delete(each);
      return after;
    });
  }, []);
  const selectOnly = useCallback((only: readonly string[]) => setSelected(new Set(only)), []);
  return { selected, select, selectOnly };
}
