/** Where the sessions come from, and what a hub refuses. */
import type { Hono } from "hono";
import { z } from "zod";
import { notOnHub } from "../../../actions/index-location.ts";
import { onGet } from "../json-routes.ts";

/** Routes that read or write session files, or watch them. */
const LOCAL_GETS = ["scan", "changes", "doctor", "problems", "line", "trashed"];
const LOCAL_POSTS = ["rename", "label", "pin", "archive", "tag", "trash", "restore"];

/** `/api/source`: the host of the hub, if the sessions are those of a hub, and the settings that the page uses. */
export function addSourceRoutes(api: Hono, hub: string | undefined): void {
  onGet(api, "source", z.object({}), () => ({
    hub,
    budget: process.env.PIDEX_BUDGET || undefined,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }));
}

/** The local routes on a hub. They answer `BAD_OPTION`. */
export function addRefusedRoutes(api: Hono): void {
  const refuse = (route: string) => () => {
    throw notOnHub(route);
  };
  for (const route of LOCAL_GETS) api.get(`/${route}`, refuse(route));
  for (const route of LOCAL_POSTS) api.post(`/${route}`, refuse(route));
}
