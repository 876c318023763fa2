import { useCommands } from "../shell/commands.ts";

/**
 * Moves the focus between rows, from elsewhere to the first one; x selects the focused row, X a range up to it.
 *
 * @param target selects what gets the focus in each row
 */
export function useRowKeys(
  view: "sessions" | "trash",
  list: { readonly current: HTMLElement | null },
  target: string,
): void {
  const go = (step: number) => () => {
    const { activeElement } = document;
    const targets = [...(list.current?.querySelectorAll<HTMLElement>(target) ?? [])];
    const at = targets.findIndex((each) => each.closest(".result") === activeElement?.closest(".result"));
    if (at <= 0 && step < 0) document.querySelector<HTMLElement>(".query-input")?.focus();
    else targets[Math.min(targets.length - 1, at + step)]?.focus();
    return true;
  };
  const toggle = (isRange: boolean) => () => {
    const row = document.activeElement?.closest(".result");
    const box = list.current?.contains(row ?? null) ? row?.querySelector<HTMLElement>(".result-check") : null;
    if (!box) return false;
    box.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: isRange }));
    return true;
  };
  useCommands(view, () => ({
    select: toggle(false),
    selectRange: toggle(true),
    next: go(1),
    previous: go(-1),
  }));
}
