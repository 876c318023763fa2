import { mkdirSync, symlinkSync, unlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Session } from "../../../../fixtures/builder.ts";
import { folderName } from "../../../../fixtures/names.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { chat, fields, type Info } from "../listed.ts";
import { stage } from "../stage.ts";

describe.each(implementations)("$name: which sessions are listed", (it) => {
  const { SessionManager } = it;
  const names = (infos: readonly Info[]) => infos.map(({ path }) => path.split("/").at(-1)).join(" ");

  test("sessions of the project, by newest message, regardless of file times", async () => {
    const { cwd, writeHome } = stage();
    const paths = ["2026-01-02", "2026-01-03", "2026-01-01"].map((day, n) => {
      const path = writeHome(chat({ cwd, timestamp: `${day}T00:00:00.000Z` }));
      utimesSync(path, 1_767_600_000 - n, 1_767_600_000 - n);
      return path;
    });
    writeHome(chat({ cwd: "/home/ada/other" }));
    expect((await SessionManager.list(cwd)).map(({ path }: Info) => path)).toEqual([
      paths[1],
      paths[0],
      paths[2],
    ]);
  });

  test("only files that are named like sessions and are sessions", async () => {
    const { cwd, home, folder, write } = stage();
    const put = (name: string, text = chat({ cwd }).text()) =>
      write(`agent/sessions/${folderName(cwd)}/${name}`, text);
    put("a.jsonl");
    put(".dot.jsonl");
    put("b.JSONL");
    put("c.txt");
    put("d.jsonl.bak");
    put("deep/e.jsonl");
    put("f.jsonl", "");
    put("g.jsonl", "words\n");
    put("h.jsonl", `{"type":"custom","id":"a"}\n${chat({ cwd }).text()}`);
    mkdirSync(join(home, "i.jsonl"));
    symlinkSync(join(home, "nowhere"), join(home, "j.jsonl"));
    symlinkSync(write("linked", chat({ cwd })), join(home, "k.jsonl"));
    const listed = names(await SessionManager.list(cwd))
      .split(" ")
      .sort();
    expect(listed).toEqual([".dot.jsonl", "a.jsonl", "k.jsonl"]);
    expect(await SessionManager.list(join(folder, "elsewhere"))).toEqual([]);
  });

  test("a missing folder has no sessions", async () => {
    const { cwd, folder } = stage();
    expect(await SessionManager.list(cwd, join(folder, "nosuch"))).toEqual([]);
    expect(await SessionManager.listAll()).toEqual([]);
  });

  test("a folder shared by projects", async () => {
    const { cwd, folder, write } = stage();
    write("flat/a.jsonl", chat({ cwd }));
    write("flat/b.jsonl", chat({ cwd: "/home/ada/other" }));
    write("flat/c.jsonl", chat({ header: { cwd: undefined } }));
    write("flat/d.jsonl", chat({ cwd: `${cwd}/` }));
    expectDifference(
      "list-a-shared-folder",
      it,
      names(await SessionManager.list(cwd, join(folder, "flat")))
        .split(" ")
        .sort()
        .join(" "),
    );
  });

  test("the default folder, passed explicitly, lists only the project's sessions", async () => {
    const { cwd, home, write } = stage();
    write(`agent/sessions/${folderName(cwd)}/a.jsonl`, chat({ cwd: "/home/ada/other" }));
    expect(names(await SessionManager.list(cwd))).toBe("a.jsonl");
    expect(names(await SessionManager.list(cwd, home))).toBe("a.jsonl");
    expect(names(await SessionManager.list(cwd, `${home}/`))).toBe("a.jsonl");
  });

  test("listAll: sessions of all projects, one level deep", async () => {
    const { cwd, write } = stage();
    write("agent/sessions/--a--/a.jsonl", chat({ cwd, timestamp: "2026-01-01T00:00:00.000Z", id: "same" }));
    write("agent/sessions/--b--/b.jsonl", chat({ cwd, timestamp: "2026-01-02T00:00:00.000Z", id: "same" }));
    write("agent/sessions/--b--/run/c.jsonl", chat({ cwd }));
    write("agent/sessions/d.jsonl", chat({ cwd }));
    expect(names(await SessionManager.listAll())).toBe("b.jsonl a.jsonl");
  });

  test("listAll: a project folder that is a link", async () => {
    const { cwd, agent, folder, write } = stage();
    write("far/a.jsonl", chat({ cwd }));
    mkdirSync(join(agent, "sessions"), { recursive: true });
    symlinkSync(join(folder, "far"), join(agent, "sessions", "--link--"));
    const [info] = await SessionManager.listAll();
    expectDifference("linked-project-folder", it, info ? info.path.slice(agent.length) : "not listed");
  });

  test("listAll: a project folder that is a link to its parent", async () => {
    const { cwd, agent, write } = stage();
    write("agent/sessions/a.jsonl", chat({ cwd }));
    symlinkSync(join(agent, "sessions"), join(agent, "sessions", "--loop--"));
    const paths = (await SessionManager.listAll()).map(({ path }: Info) => path.slice(agent.length));
    expectDifference("link-to-own-folder", it, paths.join() || "not listed");
  });

  test("listAll: of one folder", async () => {
    const { cwd, folder, write } = stage();
    write("flat/a.jsonl", chat({ cwd }));
    write("flat/b.jsonl", chat({ cwd: "/home/ada/other" }));
    const reported: string[] = [];
    const infos = await SessionManager.listAll(join(folder, "flat"), (loaded, total) => {
      reported.push(`${loaded}/${total}`);
    });
    if (it.name === "pidex") expect(reported).toEqual(["1/2", "2/2"]);
    expectDifference(
      "list-all-of-a-folder",
      it,
      infos.length === 0 ? "lists the default folder" : names(infos).split(" ").sort().join(" "),
    );
  });

  test("changes since the last list are included", async () => {
    const { cwd, writeHome } = stage();
    const draft = chat({ cwd });
    const path = writeHome(draft);
    expect(await SessionManager.list(cwd)).toMatchObject([{ messageCount: 2 }]);
    draft.user("three").appendTo(path);
    draft.name("Shop");
    writeHome(draft);
    expect(await SessionManager.list(cwd)).toMatchObject([{ messageCount: 3, name: "Shop" }]);
    unlinkSync(path);
    expect(await SessionManager.list(cwd)).toEqual([]);
  });
});

describe.each(implementations)("$name: while it lists", (it) => {
  const { SessionManager } = it;

  function twelve(
    cwd: string,
    writeHome: (draft: Session) => string,
    write: (name: string, text: string) => string,
  ) {
    for (let n = 10; n < 21; n++) writeHome(chat({ cwd, timestamp: `2026-01-${n}T00:00:00.000Z` }));
    write(`agent/sessions/${folderName(cwd)}/a.jsonl`, "words\n");
  }

  test.each(["list", "listAll"] as const)(
    "%s reports progress once for each file, including invalid ones",
    async (which) => {
      const { cwd, write, writeHome } = stage();
      twelve(cwd, writeHome, write);
      const reported: [number, number][] = [];
      const onProgress = (loaded: number, total: number) => void reported.push([loaded, total]);
      const infos =
        which === "list"
          ? await SessionManager.list(cwd, undefined, onProgress)
          : await SessionManager.listAll(onProgress);
      expect(infos).toHaveLength(11);
      expect(reported).toEqual(Array.from({ length: 12 }, (_, n) => [n + 1, 12]));
    },
  );

  test("sessions known so far come with the progress", async () => {
    const { cwd, write, writeHome } = stage();
    twelve(cwd, writeHome, write);
    const reported: (readonly Info[])[] = [];
    const infos = await SessionManager.list(
      cwd,
      undefined,
      (_: number, __: number, partial?: readonly Info[]) => {
        if (partial) reported.push(partial);
      },
    );
    const last = reported.at(-1);
    expectDifference("partial-sessions", it, last ? "passed" : "not passed");
    if (last) expect(last.map(fields)).toEqual(infos.map(fields));
    for (const partial of reported) {
      const times = partial.map(({ modified }) => modified.getTime());
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    }
  });

  test("a list that is aborted", async () => {
    const { cwd, writeHome } = stage();
    writeHome(chat({ cwd }));
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    const calls = [
      SessionManager.list(cwd, undefined, undefined, signal),
      SessionManager.listAll(undefined, signal),
      SessionManager.listAll(undefined, undefined, signal),
    ];
    const ends = await Promise.all(
      calls.map((call) =>
        call.then(
          () => "continues",
          (error: unknown) => (error === reason ? "rejects with the reason" : String(error)),
        ),
      ),
    );
    expectDifference("aborted-list", it, [...new Set(ends)].join(" / "));
  });
});
