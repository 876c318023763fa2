/** Routes that answer with JSON: they validate the request, and leave the rest to a function. */
import type { Context, Hono } from "hono";
import type { z } from "zod";
import type { Reply, Route } from "../api/answers.ts";
import { parseBody, parseQuery } from "./params.ts";

type Answer<R extends Route, T> = (params: T, context: Context) => Reply<R> | Promise<Reply<R>>;

/** Adds a GET route with parameters in the query string. */
export function onGet<R extends Route, T>(api: Hono, route: R, schema: z.ZodType<T>, answer: Answer<R, T>) {
  api.get(`/${route}`, async (context) => {
    const reply: object = await answer(parseQuery(schema, context.req.url), context);
    return context.json(reply);
  });
}

/** Adds a POST route with parameters in a JSON body. */
export function onPost<R extends Route, T>(api: Hono, route: R, schema: z.ZodType<T>, answer: Answer<R, T>) {
  api.post(`/${route}`, async (context) => {
    const reply: object = await answer(await parseBody(schema, context), context);
    return context.json(reply);
  });
}
