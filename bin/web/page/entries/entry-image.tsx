import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { describeImage } from "../../../format/images.ts";
import { fetchApi, useLoaded } from "../shell/api.ts";
import { DisplayContext, EntryImagesContext, type PlacedImage } from "./display-options.ts";

/** An image in the session, which opens large at a click; or a description if it can't be shown. */
export function EntryImage({ part, line }: PlacedImage) {
  const { onOpenImage, links } = useContext(DisplayContext);
  const images = useContext(EntryImagesContext);
  const index = images.findIndex((each) => each.line === line && each.part.position === part.position);
  const image = <LoadedImage {...{ part, line }} />;
  if (!onOpenImage || index === -1) return <figure class="picture">{image}</figure>;
  return (
    <figure class="picture">
      <button type="button" class="picture-open" onClick={() => onOpenImage({ images, index, links })}>
        {image}
        <span class="unseen">Show large</span>
      </button>
    </figure>
  );
}

/** An image, or a description if it can't be shown. */
export function LoadedImage({ part, line }: PlacedImage) {
  const { image, position } = part;
  const { links } = useContext(DisplayContext);
  const [isBroken, setBroken] = useState(false);
  const address = links.image(line, position);
  const kind = (/^image\/([a-z0-9.+-]{1,20})$/i.exec(image.mimeType ?? "")?.[1] ?? "").toUpperCase();
  const src = useImageUrl(address);
  if (address === undefined || src === null || isBroken)
    return <span class="quiet">{describeImage(image)}</span>;
  if (src === undefined) return null;
  return (
    <img
      src={src}
      alt={`${kind} image in the session, line ${line}`.trim()}
      decoding="async"
      onError={() => setBroken(true)}
    />
  );
}

const API_PREFIX = "/api/";

/**
 * A URL that `<img>` can load for an image that the server sends only with the key. Null if it cannot be loaded, undefined while
 * loading. Other addresses, such as those in exported pages, are returned unchanged.
 */
function useImageUrl(address: string | undefined): string | null | undefined {
  const needsKey = address?.startsWith(API_PREFIX) === true;
  const { data, error, name } = useLoaded(needsKey ? address : undefined, 0, async (signal) =>
    (await fetchApi(address ?? "", { signal })).blob(),
  );
  const url = useMemo(() => data && URL.createObjectURL(data), [data]);
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  if (!needsKey) return address;
  if (name !== address) return undefined;
  return error === undefined ? url : null;
}
