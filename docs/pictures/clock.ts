/**
 * Loaded before a program whose picture is made (`node --import`): its clock starts at `PICTURES_NOW`, so that what was an
 * hour ago is an hour ago whenever the picture is made.
 */
const start = Date.parse(process.env.PICTURES_NOW ?? "");
if (Number.isNaN(start)) throw new Error("PICTURES_NOW is no time");
const Clock = Date;
const began = Clock.now();
const now = () => start + (Clock.now() - began);

globalThis.Date = new Proxy(Clock, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  apply: () => new Clock(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
