import { expect, onTestFinished, test, vi } from "vitest";
import { findHome, getHomeFolder } from "../src/environment.ts";

test("the home folder is HOME if it is absolute, otherwise that of the user entry", () => {
  expect(getHomeFolder({ HOME: "/home/ada" })).toBe("/home/ada");
  expect(getHomeFolder({})).toBe(getHomeFolder());
});

test.each(["", "relative", "./here"])("HOME=%o is not a home folder", (home) => {
  vi.stubEnv("HOME", home); // this module also queries the system
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(findHome()).toBeUndefined();
  expect(() => getHomeFolder()).toThrow(expect.objectContaining({ code: "NO_HOME" }));
});
