import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { TicketAnswer } from "../../api/answers.ts";
import { act } from "./ask.ts";
import { reasonOf } from "./trouble.tsx";

interface Props {
  /** The question whose answer is saved as a file. */
  address: string;
  /** The file's name, where the server's own is not wanted. */
  name?: string;
  class?: string;
  label?: string;
  children: ComponentChildren;
}

/**
 * A button that saves an answer as a file. The browser sends no key when it saves one, so it is sent to an address that works
 * once. Not a link: opened in a new tab, its address would be asked without the key.
 */
export function DownloadButton({ address, name = "", label, children, ...props }: Props) {
  const [failure, setFailure] = useState<string>();
  const begin = async () => {
    setFailure(undefined);
    try {
      const link = document.createElement("a");
      link.href = (await act<TicketAnswer>("ticket", { address })).address;
      link.download = name;
      link.click();
    } catch (error) {
      setFailure(reasonOf(error));
    }
  };
  return (
    <>
      <button type="button" class={props.class} aria-label={label} onClick={() => void begin()}>
        {children}
      </button>
      {failure !== undefined && (
        <span class="quiet" role="alert">
          {failure}
        </span>
      )}
    </>
  );
}
