export { getProblemName } from "../../src/session/problem-names.ts";
