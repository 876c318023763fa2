import { expect, test } from "vitest";
import { answerQuery } from "../../../library/hub/server/answer-query.ts";
import { createDatabase, hasPostgres } from "../../store/postgres/databases.ts";
import { addMachine } from "../../store/postgres/ingest.ts";

test.skipIf(!hasPostgres)(
  "a statement that takes too long is stopped with an error that says what to do",
  async () => {
    await using database = await createDatabase();
    const { pool } = database;
    const { shelf } = await addMachine(pool);
    const blocker = await pool.connect();
    try {
      await blocker.query("BEGIN");
      await blocker.query("LOCK TABLE session IN ACCESS EXCLUSIVE MODE");
      const reader = { role: "member", own: shelf, projects: [] } as const;
      const answer = answerQuery(pool, reader, { method: "find", args: ["a"] }, { statementTimeoutMs: 100 });
      await expect(answer).rejects.toMatchObject({
        code: "SQL_TIMEOUT",
        message: expect.stringContaining("0.1 s"),
      });
      expect(pool.totalCount - pool.idleCount).toBe(1);
    } finally {
      await blocker.query("ROLLBACK");
      blocker.release();
    }
  },
);
