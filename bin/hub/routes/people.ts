import type { Hono } from "hono";
import { z } from "zod";
import { inviteRequest, joinRequest, ROLES } from "../../../library/hub/protocol.ts";
import {
  changeRole,
  getMachines,
  getMembers,
  invite,
  join,
  removeMember,
  revoke,
} from "../../../library/hub/server/people.ts";
import { PidexError } from "../../../library/index.ts";
import packageJson from "../../../package.json" with { type: "json" };
import type { FailedSignIns } from "../http/failed-sign-ins.ts";
import { getAddress } from "../http/guard.ts";
import type { Hub, HubEnv } from "../http/hub.ts";
import { readBody } from "../http/params.ts";

/** Routes of people and their machines. */
export function addPeopleRoutes(app: Hono<HubEnv>, hub: Hub, failures: FailedSignIns): void {
  const { pool } = hub;

  app.post("/v1/join", async (context) => {
    const request = await readBody(context, joinRequest);
    try {
      return context.json(await join(pool, request));
    } catch (error) {
      if (error instanceof PidexError && error.code === "NOT_SIGNED_IN") failures.add(getAddress(context));
      throw error;
    }
  });

  app.get("/v1/me", (context) => {
    const { person, machine } = context.get("caller");
    const { version } = packageJson;
    return context.json({ machine: machine.name, person: person.name, role: person.role, version });
  });

  app.post("/v1/invitations", async (context) =>
    context.json(await invite(pool, context.get("caller"), await readBody(context, inviteRequest))),
  );

  app.get("/v1/members", async (context) =>
    context.json({ members: await getMembers(pool, context.get("caller")) }),
  );

  app.patch("/v1/members/:name", async (context) => {
    const { role } = await readBody(context, z.strictObject({ role: z.enum(ROLES) }));
    await changeRole(pool, context.get("caller"), context.req.param("name"), role);
    return context.json({});
  });

  app.delete("/v1/members/:name", async (context) => {
    await removeMember(pool, context.get("caller"), context.req.param("name"));
    hub.wakeMaintenance();
    return context.json({});
  });

  app.get("/v1/machines", async (context) =>
    context.json({ machines: await getMachines(pool, context.get("caller")) }),
  );

  app.delete("/v1/machines/:name", async (context) => {
    await revoke(pool, context.get("caller"), context.req.param("name"));
    return context.json({});
  });
}
