/** Sign-in of browsers. */
import type { Hono } from "hono";
import { z } from "zod";
import type { ErrorAnswer, LinkSource, LinkSourceAnswer, SignInAnswer } from "../../api/answers.ts";
import { type AuthTokens, NEW_LINK_HINTS } from "../guard.ts";
import { parseBody } from "../params.ts";

const SignInBody = z.strictObject({ token: z.string().max(100) });

/** `POST /api/sign-in`: the key for a token, once. `GET /api/sign-in`: where to get a link with one. */
export function addSignInRoutes(api: Hono, keys: AuthTokens, linksFrom: LinkSource): void {
  api.get("/sign-in", (context) => context.json<LinkSourceAnswer>({ linksFrom, run: keys.run }));
  api.post("/sign-in", async (context) => {
    const { token } = await parseBody(SignInBody, context);
    const key = keys.redeem(token);
    const { secret } = keys;
    if (key !== undefined)
      return context.json<SignInAnswer>(secret === undefined ? { key } : { key, secret });
    const message = "This link was already used or has expired.";
    return context.json<ErrorAnswer>(
      { error: { code: "LINK_USED", message, hint: NEW_LINK_HINTS[linksFrom] } },
      401,
    );
  });
}
