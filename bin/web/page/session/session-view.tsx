export function SessionView() {
  return <main />;
}
