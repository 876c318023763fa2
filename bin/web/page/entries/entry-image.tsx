import { useContext, useState } from "preact/hooks";
import { describeImage } from "../../../format/images.ts";
import type { ImagePart } from "../../../format/parts.ts";
import { useImageUrl } from "../shell/use-image-url.ts";
import { DisplayContext } from "./display-options.ts";

interface Props {
  part: ImagePart;
  /** The line of the file. */
  line: number;
}

/** An image in the session, or a description if it can't be shown. */
export function EntryImage({ part, line }: Props) {
  const { image, position } = part;
  const { links } = useContext(DisplayContext);
  const [isBroken, setBroken] = useState(false);
  const address = links.image(line, position);
  const kind = (/^image\/([a-z0-9.+-]{1,20})$/i.exec(image.mimeType ?? "")?.[1] ?? "").toUpperCase();
  const src = useImageUrl(address);
  if (address === undefined || src === null || isBroken) return <p class="quiet">{describeImage(image)}</p>;
  return (
    <figure class="picture">
      {src !== undefined && (
        <img
          src={src}
          alt={`${kind} picture in the session, line ${line}`.trim()}
          decoding="async"
          onError={() => setBroken(true)}
        />
      )}
    </figure>
  );
}
