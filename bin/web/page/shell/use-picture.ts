import { useEffect, useState } from "preact/hooks";
import { answered } from "./ask.ts";

/** Where the server's answers are. */
const API = "/api/";

/**
 * An address that `<img>` can load of a picture that the server has only for this browser's key. Null where it cannot be had, undefined
 * until it is there. Another address, such as those of exported pages, stays as it is.
 */
export function usePicture(address: string | undefined): string | null | undefined {
  const [loaded, setLoaded] = useState<string | null>();
  const isAsked = address?.startsWith(API) === true;
  useEffect(() => {
    setLoaded(undefined);
    if (address === undefined || !isAsked) return undefined;
    const stop = new AbortController();
    let made: string | undefined;
    answered(address, stop.signal)
      .then((response) => response.blob())
      .then(
        (blob) => {
          if (stop.signal.aborted) return;
          made = URL.createObjectURL(blob);
          setLoaded(made);
        },
        () => {
          if (!stop.signal.aborted) setLoaded(null);
        },
      );
    return () => {
      stop.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [address, isAsked]);
  return isAsked ? loaded : address;
}
