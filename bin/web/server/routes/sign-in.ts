/** Signing a browser in. */
import { Hono } from "hono";
import { z } from "zod";
import type { Failure, SignInAnswer } from "../../api/answers.ts";
import { shortBody, wanted } from "../body.ts";
import type { Keys } from "../guard.ts";

const Token = z.strictObject({ token: z.string().max(100) });

/** `POST /api/sign-in`: the key for a token, once. */
export function signInRoutes(keys: Keys): Hono {
  return new Hono().post("/sign-in", shortBody, async (context) => {
    const { token } = await wanted(Token, context);
    const key = keys.redeem(token);
    if (key !== undefined) return context.json<SignInAnswer>({ key });
    return context.json<Failure>({ error: LINK_USED }, 401);
  });
}

const LINK_USED = {
  code: "LINK_USED",
  message: "This link was already used, or is too old.",
  hint: "Open a new link from the terminal: press Enter where pidex serve runs.",
} as const;
