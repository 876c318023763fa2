import { GLOSSARY } from "./hints.ts";

/** Explains the figures, closed until it is needed. */
export function Glossary() {
  return (
    <details class="glossary">
      <summary>What the figures mean</summary>
      <dl>
        {GLOSSARY.map(([name, hint]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{hint}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
