export function NotFound() {
  return (
    <main class="nothing">
      <h1>There is nothing here</h1>
      <p>
        <a href="/">All sessions</a>
      </p>
    </main>
  );
}
