/** Which model a row names first. */
import { expect, test } from "vitest";
import { listModels } from "../../../bin/web/page/search/result-models.tsx";

const models = ["qwen/coder", "anthropic/opus-4-5", "openai/gpt-5"];
const session = { provider: "openai", model: "gpt-5", models };

test.each([
  [[], ["openai/gpt-5", "qwen/coder", "anthropic/opus-4-5"]],
  [["Opus"], ["anthropic/opus-4-5", "openai/gpt-5", "qwen/coder"]],
  [["qwen/coder"], ["qwen/coder", "openai/gpt-5", "anthropic/opus-4-5"]],
  [
    ["gpt", "opus"],
    ["openai/gpt-5", "anthropic/opus-4-5", "qwen/coder"],
  ],
])("filtered by %j, a session has the models %j", (filters, listed) => {
  expect(listModels(session, filters)).toEqual(listed);
});

test("without its models, a session has its last one", () => {
  expect(listModels({ provider: "openai", model: "gpt-5" }, ["opus"])).toEqual(["openai/gpt-5"]);
  expect(listModels({ provider: undefined, model: undefined }, [])).toEqual([]);
});
