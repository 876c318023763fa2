/** A puzzle game for the browser. */
import {
  answer,
  back,
  bash,
  edit,
  failing,
  grep,
  label,
  mark,
  model,
  read,
  story,
  subagent,
  think,
  user,
  write,
} from "./telling.ts";

export const LANTERNS = [
  story({
    project: "lanterns",
    vary: {
      scene: ["the harbour level", "levels with water", "the title screen", "the level editor"],
      device: ["on an old phone", "in Firefox", "with many lanterns", "on a 4K screen"],
    },
    tags: ["performance"],
    tell: ({ scene, device }, n) => [
      user(`Frames drop in ${scene} ${device}: ${n(18, 34)} per second. Profile before you change anything.`),
      bash("npm run profile -- --seconds 10", [
        "58 %  drawLight",
        "21 %  garbage collection",
        " 9 %  update",
      ]),
      read("src/draw/light.ts", [
        "function drawLight(lantern: Lantern): void {",
        "  const glow = context.createRadialGradient(...circleOf(lantern));",
        "  for (const stop of stopsOf(lantern)) glow.addColorStop(...stop);",
        "  context.fillStyle = glow;",
        "}",
      ]),
      think(
        "A gradient per lantern per frame. They only differ by colour and radius: draw each kind once into a small canvas and copy it.",
      ),
      mark("profile"),
      edit(
        "src/draw/light.ts",
        "  const glow = context.createRadialGradient(...circleOf(lantern));",
        "  context.drawImage(glowOf(lantern.colour, lantern.radius), lantern.x, lantern.y);",
        2,
      ),
      bash("npm run profile -- --seconds 10", [
        "31 %  drawImage",
        "22 %  garbage collection",
        "12 %  update",
      ]),
      answer(
        `${n(48, 56)} frames per second. What is left is garbage: \`update\` makes a new array each frame.`,
      ),
      user("that too"),
      edit(
        "src/update.ts",
        "world.lanterns = world.lanterns.map(step);",
        "for (const lantern of world.lanterns) step(lantern);",
        n(14, 60),
      ),
      bash("npm run profile -- --seconds 10", [
        "34 %  drawImage",
        "11 %  update",
        " 2 %  garbage collection",
      ]),
      answer("60, steadily. The glow is drawn once per colour and radius, and `update` changes in place."),
      label("60 fps"),
    ],
    fork: ({ scene, device }, n) => ({
      name: `Offscreen canvas for ${scene} ${device}`,
      steps: [
        user("Would a worker with an OffscreenCanvas bring more?"),
        bash("npm run profile -- --worker", `${n(57, 60)} frames, ${n(9, 21)} ms input delay`),
        answer("Not for us: as many frames, but input arrives a frame later. I left it out."),
      ],
    }),
  }),

  story({
    project: "lanterns",
    vary: {
      thing: ["the player", "a boat", "a thrown lantern", "the cat"],
      place: [
        "through walls at full speed",
        "into the floor after a jump",
        "off moving platforms",
        "through doors while they close",
      ],
    },
    name: ({ thing, place }) => `${thing[0]?.toUpperCase()}${thing.slice(1)} falls ${place}`,
    tags: ["bug", "physics"],
    tell: ({ thing, place }, n) => [
      user(`Sometimes ${thing} falls ${place}. I have a replay file: replays/${n(100, 999)}.json`),
      failing("npx vitest run tests/physics.test.ts", [
        "FAIL tests/physics.test.ts > nothing passes a wall",
        `Counterexample: { speed: ${n(900, 2400)}, wall: 8, dt: 0.016 }`,
        "AssertionError: expected 412.6 to be at most 400",
      ]),
      grep(
        "position\\.x \\+=",
        "src/physics",
        "src/physics/move.ts:22:  body.position.x += body.speed.x * dt;",
      ),
      think(
        "At that speed a body moves further than the wall is thick within one step. Sweep instead of test at the end.",
      ),
      edit(
        "src/physics/move.ts",
        "  body.position.x += body.speed.x * dt;",
        ["  const hit = sweep(body, world, dt);", "  body.position.x += body.speed.x * dt * hit.share;"],
        22,
      ),
      bash("npx vitest run tests/physics.test.ts", ` Tests  ${n(30, 60)} passed (10,000 runs)`),
      answer(
        "It moved further in one frame than the wall is thick, so no frame ever saw the two touch. Movement is swept now; your replay ends on the right side of the wall.",
      ),
    ],
  }),

  story({
    project: "lanterns",
    vary: {
      from: ["version 1", "version 2", "the demo", "the beta"],
      lost: ["stars", "key bindings", "the last level", "custom levels"],
    },
    tags: ["migration", "saves"],
    tell: ({ from, lost }, n) => [
      user(
        `Saves of ${from} lose ${lost} when they are opened now. Players are upset. Can it be brought back?`,
      ),
      bash("ls saves/samples | head", ["v1-small.json", "v1-stars.json", "v2-custom.json"]),
      read("src/save/load.ts", ["const save = JSON.parse(text);", "return { ...EMPTY, level: save.level };"]),
      think(
        "The loader builds a new save of known fields and the old ones are dropped, then it's written over. But the old file stays in saves.bak for a week.",
      ),
      write("src/save/migrate.ts", [
        "/** Each step brings a save from one version to the next; none is ever changed again. */",
        "export const STEPS: Step[] = [fromOne, fromTwo, fromThree];",
      ]),
      edit(
        "src/save/load.ts",
        "return { ...EMPTY, level: save.level };",
        "return STEPS.slice(save.version ?? 0).reduce((older, step) => step(older), save);",
        2,
      ),
      failing(
        "npx vitest run tests/save.test.ts",
        "FAIL tests/save.test.ts > v2-custom.json keeps its levels\nTypeError: Cannot read properties of undefined (reading 'map')",
      ),
      edit("src/save/migrate.ts", "save.levels.map(upgrade)", "(save.levels ?? []).map(upgrade)", n(20, 40)),
      bash("npx vitest run tests/save.test.ts", ` Tests  ${n(14, 40)} passed`),
      answer(
        `Yes. Saves are migrated step by step, and what the loader doesn't know it keeps. Whoever lost ${lost} within the last week gets it back from the backup when the game starts.`,
      ),
    ],
  }),

  story({
    project: "lanterns",
    vary: {
      feature: [
        "undo in the level editor",
        "a hint button",
        "colour-blind palettes",
        "controller support",
        "level sharing",
      ],
      constraint: ["without a new dependency", "for the next release", "behind a switch"],
    },
    name: ({ feature, constraint }) => `${feature[0]?.toUpperCase()}${feature.slice(1)}, ${constraint}`,
    tags: ["feature"],
    tell: ({ feature, constraint }, n) => [
      user(`We need ${feature}, ${constraint}. Let somebody look at how other parts do it, then propose.`),
      subagent(
        "scout",
        `how is state kept and changed in src/, with ${feature} in mind`,
        "glm",
        [
          bash("grep -rn 'dispatch(' src | wc -l", String(n(30, 90))),
          read("src/state.ts", [
            "export type Change = Place | Remove | Turn;",
            "export function apply(level: Level, change: Change): Level",
          ]),
        ],
        "All changes go through apply() in src/state.ts as plain values. Nothing keeps them.",
      ),
      answer(
        "All changes are plain values already, so most of it is there:",
        "",
        "1. keep the changes in a list, with how to take each back",
        "2. show it in the toolbar",
        "3. a test that plays random changes forwards and back",
        "",
        "About 150 lines.",
      ),
      user("Do it."),
      write("src/history.ts", [
        "export class History {",
        "  #done: Change[] = [];",
        "  #undone: Change[] = [];",
        "}",
      ]),
      failing("npx vitest run tests/history.test.ts", [
        "FAIL tests/history.test.ts > back is where it began",
        "Counterexample: [Turn(3, 90), Turn(3, -90), Remove(3)]",
      ]),
      model("opus"),
      user("Take more time for that one."),
      think("Remove must keep what it removed, with its angle, not the angle it had when it was placed."),
      edit(
        "src/state.ts",
        "case 'remove': return place(level, change.at);",
        "case 'remove': return place(level, change.removed);",
        n(40, 90),
      ),
      bash("npx vitest run", ` Tests  ${n(90, 160)} passed`),
      answer(
        `${feature[0]?.toUpperCase()}${feature.slice(1)} works, ${constraint}. The random test found the one case I had wrong: taking back a removal of something that had been turned.`,
      ),
    ],
  }),

  story({
    project: "lanterns",
    vary: {
      gesture: ["dragging", "a long press", "two fingers", "a double tap"],
      system: ["on iPad", "on Android tablets", "in the installed app"],
    },
    tags: ["input"],
    tell: ({ gesture, system }, n) => [
      user(`With ${gesture} ${system} the page scrolls instead of moving the lantern.`),
      grep("touchmove|pointermove", "src/input", [
        "src/input/pointer.ts:12:canvas.addEventListener('touchmove', move);",
      ]),
      mark("before"),
      edit(
        "src/input/pointer.ts",
        "canvas.addEventListener('touchmove', move);",
        "canvas.addEventListener('touchmove', move, { passive: false });",
        12,
      ),
      bash("npx playwright test --project tablet", `  ${n(3, 9)} failed, ${n(10, 20)} passed`),
      answer("That stops scrolling, but also zooming with two fingers, which people need."),
      back("before", "## Tried", "A listener that is not passive: it also stops zooming."),
      user("Is there a way in CSS?"),
      edit("styles/game.css", "canvas {", ["canvas {", "  touch-action: pinch-zoom;"], n(4, 30)),
      edit(
        "src/input/pointer.ts",
        "canvas.addEventListener('touchmove', move);",
        "canvas.addEventListener('pointermove', move);",
        12,
      ),
      bash("npx playwright test --project tablet", `  ${n(20, 30)} passed`),
      answer(
        "`touch-action: pinch-zoom` tells the browser what it may still do itself, and pointer events do the rest.",
      ),
      label("css does it"),
    ],
  }),
];
