/** Echoes what is typed, in the escape sequences that the picker uses: the minimum for its times. */
let typed = "";
function draw(): void {
  process.stdout.write(`\x1b[?2026h\x1b[1;1Hno results\x1b[2;1H› ${typed}\x1b[7m \x1b[27m\x1b[?2026l`);
}
process.stdin.setRawMode(true);
process.stdin.on("data", (bytes) => {
  typed += bytes;
  draw();
});
draw();
