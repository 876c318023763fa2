import { afterAll } from "vitest";

// Workers run one file after another in the same process, and commands that tests call set variables from settings files.
const before = { ...process.env };
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
