import type { ListAnswer } from "../../api/answers.ts";
import { sessionAddress } from "../shell/address.ts";
import { useAnswer } from "../shell/ask.ts";

export function SearchView() {
  const { data } = useAnswer<ListAnswer>("list", { limit: 50 });
  return (
    <main>
      {data?.sessions.map((session) => (
        <p key={session.path}>
          <a href={sessionAddress(session.id)}>{session.name ?? session.firstMessage}</a>
        </p>
      ))}
    </main>
  );
}
