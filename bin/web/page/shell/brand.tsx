import "./brand.css";

/** The pidex logo. */
export function Brand() {
  return (
    <svg class="brand-sign" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M8 11.5h16M12.5 11.5v11M20 11.5v8.4c0 1.7.8 2.6 2.2 2.6h1" />
    </svg>
  );
}
