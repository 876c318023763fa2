export function UsageView() {
  return <main />;
}
