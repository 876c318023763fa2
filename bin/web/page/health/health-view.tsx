export function HealthView() {
  return <main />;
}
