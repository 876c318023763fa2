/** Sign-in of browsers. */
import { Hono } from "hono";
import { z } from "zod";
import type { Failure, LinkSource, LinkSourceAnswer, SignInAnswer } from "../../api/answers.ts";
import { shortBody, wanted } from "../asked.ts";
import { type Keys, NEW_LINK } from "../guard.ts";

const SignInBody = z.strictObject({ token: z.string().max(100) });

/** `POST /api/sign-in`: the key for a token, once. `GET /api/sign-in`: where to get a link with one. */
export function signInRoutes(keys: Keys, linksFrom: LinkSource): Hono {
  return new Hono()
    .get("/sign-in", (context) => context.json<LinkSourceAnswer>({ linksFrom }))
    .post("/sign-in", shortBody, async (context) => {
      const { token } = await wanted(SignInBody, context);
      const key = keys.redeem(token);
      if (key !== undefined) return context.json<SignInAnswer>({ key });
      const message = "This link was already used or has expired.";
      return context.json<Failure>({ error: { code: "LINK_USED", message, hint: NEW_LINK[linksFrom] } }, 401);
    });
}
