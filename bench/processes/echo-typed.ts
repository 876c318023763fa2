/** The least that shows what is typed: a line, drawn as the picker draws its own, with nothing below. */
let typed = "";
function draw(): void {
  process.stdout.write(`\x1b[?2026h\x1b[1;1Hnothing is found\x1b[2;1H› ${typed}\x1b[7m \x1b[27m\x1b[?2026l`);
}
process.stdin.setRawMode(true);
process.stdin.on("data", (bytes) => {
  typed += bytes;
  draw();
});
draw();
