export { findPrograms, type Server, startServer } from "../../../fixtures/postgres-server.ts";
