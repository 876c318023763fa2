import { expect, onTestFinished, test, vi } from "vitest";
import { findHome, homeFolder } from "../src/surroundings.ts";

test("the home folder is HOME if that is absolute, otherwise the system's", () => {
  expect(homeFolder({ HOME: "/home/ada" })).toBe("/home/ada");
  expect(homeFolder({})).toBe(homeFolder());
});

test.each(["", "relative", "./here"])("HOME=%o names none", (home) => {
  vi.stubEnv("HOME", home); // the system is asked by way of it, too
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(findHome()).toBeUndefined();
  expect(() => homeFolder()).toThrow(expect.objectContaining({ code: "NO_HOME" }));
});
