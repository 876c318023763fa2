/**
 * Preloaded with `node --import` when pictures are taken: starts the clock at `PICTURES_NOW`, so that ages such as "an hour ago"
 * are the same in every run.
 */
const start = Date.parse(process.env.PICTURES_NOW ?? "");
if (Number.isNaN(start)) throw new Error("PICTURES_NOW is not a valid time");
const Clock = Date;
const startedAt = Clock.now();
const now = () => start + (Clock.now() - startedAt);

globalThis.Date = new Proxy(Clock, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  apply: () => new Clock(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
