import { useEffect, useMemo } from "preact/hooks";
import { answered, useLoaded } from "./ask.ts";

/** Where the server's answers are. */
const API = "/api/";

/**
 * An address that `<img>` can load of a picture that the server has only for this browser's key. Null where it cannot be had, undefined
 * until it is there. Another address, such as those of exported pages, stays as it is.
 */
export function usePicture(address: string | undefined): string | null | undefined {
  const isAsked = address?.startsWith(API) === true;
  const { data, error, name } = useLoaded(isAsked ? address : undefined, 0, async (signal) =>
    (await answered(address ?? "", signal)).blob(),
  );
  const url = useMemo(() => data && URL.createObjectURL(data), [data]);
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  if (!isAsked) return address;
  if (name !== address) return undefined;
  return error === undefined ? url : null;
}
