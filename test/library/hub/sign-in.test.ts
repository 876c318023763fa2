import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HubClient } from "../../../library/hub/client.ts";
import {
  deleteSignIn,
  getSignInPath,
  readSignIn,
  requireSignIn,
  writeSignIn,
} from "../../../library/hub/sign-in.ts";
import { temporaryFolder } from "../../temporary.ts";

const SIGN_IN = { url: "https://hub.example.com/", token: "pidex_x", machine: "laptop", person: "ada" };

test("the sign-in is stored in a file and folder that only their owner can read", () => {
  const environment = { XDG_CONFIG_HOME: join(temporaryFolder(), "config") };
  expect(readSignIn(environment)).toBeUndefined();
  expect(() => requireSignIn(environment)).toThrow(expect.objectContaining({ code: "NOT_SIGNED_IN" }));
  writeSignIn({ ...SIGN_IN, token: "old" }, environment);
  writeSignIn(SIGN_IN, environment);
  expect(requireSignIn(environment)).toEqual(SIGN_IN);
  const path = getSignInPath(environment);
  expect(path).toBe(join(environment.XDG_CONFIG_HOME, "pidex", "hub.json"));
  if (process.platform !== "win32") {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  }
  deleteSignIn(environment);
  deleteSignIn(environment);
  expect(readSignIn(environment)).toBeUndefined();
});

test.each(["", "{", "{}", '{"url":"file:///x","token":"a","machine":"b","person":"c"}'])(
  "a damaged sign-in %j is an error that says what to do",
  (text) => {
    const environment = { PIDEX_CONFIG: temporaryFolder() };
    mkdirSync(environment.PIDEX_CONFIG, { recursive: true });
    writeFileSync(getSignInPath(environment), text);
    expect(() => readSignIn(environment)).toThrow(expect.objectContaining({ code: "FILE_UNREADABLE" }));
  },
);

test.each(["", "hub", "ftp://hub", "https://ada:secret@hub"])("%j is not the URL of a hub", (url) => {
  expect(() => new HubClient({ url })).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
});

test("a hub that cannot be reached is an error with its address", async () => {
  const client = new HubClient({ url: "http://127.0.0.1:1", token: "x" });
  const request = client.request("POST", "v1/query", { body: {} });
  await expect(request).rejects.toMatchObject({
    code: "HUB_UNAVAILABLE",
    message: expect.stringMatching(/127\.0\.0\.1:1/),
  });
});

test("an aborted request throws the reason", async () => {
  const client = new HubClient({ url: "http://127.0.0.1:1", token: "x" });
  await expect(client.me(AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
});
