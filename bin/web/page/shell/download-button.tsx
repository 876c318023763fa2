import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { apiPost } from "./api.ts";
import { getErrorMessage } from "./error-message.tsx";

interface Props {
  /** The API address to download. */
  address: string;
  /** Overrides the server's file name. */
  name?: string;
  class?: string;
  label?: string;
  children: ComponentChildren;
}

/**
 * A button that downloads a file. Browsers send no `Authorization` header with downloads, so it uses an address that works once.
 * Not a link: opened in a new tab, it would be requested without the key.
 */
export function DownloadButton({ address, name = "", label, children, ...props }: Props) {
  const [failure, setFailure] = useState<string>();
  const download = async () => {
    setFailure(undefined);
    try {
      const link = document.createElement("a");
      link.href = (await apiPost("ticket", { address })).address;
      link.download = name;
      link.click();
    } catch (error) {
      setFailure(getErrorMessage(error));
    }
  };
  return (
    <>
      <button type="button" class={props.class} aria-label={label} onClick={() => void download()}>
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
