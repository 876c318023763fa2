/** The other models of a session, beside its last one. */
import { toOneLine } from "../../../format/safe.ts";
import type { SessionJson } from "../../api/json.ts";
import { withParams } from "../shell/address.ts";
import { apiUrl, useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { Menu } from "../shell/menu.tsx";

interface Props {
  session: Pick<SessionJson, "path" | "provider" | "model">;
}

/** "+2": its tooltip and its menu name them, each as a link to the sessions with it. */
export function OtherModels({ session: { path, provider, model } }: Props) {
  const params = { session: path, by: "model", kind: "assistant" };
  const { data, name } = useAnswer("usage", params, useVersion());
  if (!data || name !== apiUrl("usage", params)) return null;
  const last = [provider, model].filter(Boolean).join("/");
  const others = data.usage.rows.flatMap(({ key }) => (key.model && key.model !== last ? key.model : []));
  if (others.length === 0) return null;
  const toName = (each: string) => toOneLine(each.slice(each.indexOf("/") + 1));
  return (
    <li title={others.map(toName).join(", ")}>
      <Menu
        summary={`+${others.length}`}
        label={`+${others.length} other ${others.length === 1 ? "model" : "models"}: ${others.map(toName).join(", ")}`}
      >
        {() =>
          others.map((each) => (
            <li key={each}>
              <a href={withParams("/", { model: each })}>
                <bdi>{toName(each)}</bdi>
              </a>
            </li>
          ))
        }
      </Menu>
    </li>
  );
}
