import { useContext, useState } from "preact/hooks";
import type { Block } from "../../../../library/index.ts";
import { imageWords } from "../../../format/entry-words.ts";
import { usePicture } from "../shell/use-picture.ts";
import { ShowingContext } from "./showing.ts";

interface Props {
  image: Extract<Block, { type: "image" }>;
  /** The line of the file, and the block of its message. */
  line: number;
  n: number;
}

/** A picture of the session, or words for it where it cannot be had. */
export function Picture({ image, line, n }: Props) {
  const { links } = useContext(ShowingContext);
  const [isBroken, setBroken] = useState(false);
  const address = links.image(line, n);
  const kind = (/^image\/([a-z0-9.+-]{1,20})$/i.exec(image.mimeType ?? "")?.[1] ?? "").toUpperCase();
  const src = usePicture(address);
  if (address === undefined || src === null || isBroken) return <p class="quiet">{imageWords(image)}</p>;
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
