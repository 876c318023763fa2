import { useEffect, useMemo } from "preact/hooks";
import { fetchApi, useLoaded } from "./api.ts";

const API_PREFIX = "/api/";

/**
 * A URL that `<img>` can load for an image that the server sends only with the key. Null if it cannot be loaded, undefined while
 * loading. Other addresses, such as those in exported pages, are returned unchanged.
 */
export function useImageUrl(address: string | undefined): string | null | undefined {
  const needsKey = address?.startsWith(API_PREFIX) === true;
  const { data, error, name } = useLoaded(needsKey ? address : undefined, 0, async (signal) =>
    (await fetchApi(address ?? "", signal)).blob(),
  );
  const url = useMemo(() => data && URL.createObjectURL(data), [data]);
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  if (!needsKey) return address;
  if (name !== address) return undefined;
  return error === undefined ? url : null;
}
