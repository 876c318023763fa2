import { useEffect, useState } from "preact/hooks";
import type { LinkSource } from "../../api/answers.ts";
import { Brand } from "./brand.tsx";
import { fetchLinkSource, signInError } from "./signed-in.ts";
import "./sign-in.css";

/** Shown at every address until this browser is signed in. */
export function SignIn() {
  const [linksFrom, setLinksFrom] = useState<LinkSource>();
  useEffect(() => {
    document.title = "Sign in · pidex";
    void fetchLinkSource().then(setLinksFrom);
  }, []);
  return (
    <main class="sign-in">
      <div class="card sign-in-card">
        <Brand />
        <h1>This browser isn't signed in</h1>
        {signInError.value !== "" && (
          <p class="sign-in-why" role="alert">
            {signInError.value}
          </p>
        )}
        {linksFrom && INSTRUCTIONS[linksFrom]}
        <p class="quiet">Then this page opens again.</p>
      </div>
    </main>
  );
}

/** How to get a new link, by the program that issues them. */
const INSTRUCTIONS = {
  serve: (
    <>
      <p>Open a new link from the terminal:</p>
      <ol>
        <li>
          Press <kbd>Enter</kbd> where <code>pidex serve</code> runs. If it has stopped, start it again.
        </li>
        <li>Open the link that it prints, in this browser.</li>
      </ol>
    </>
  ),
  picker: (
    <>
      <p>This page was opened from the picker. Open it from there again:</p>
      <ol>
        <li>
          Go to the terminal with the picker. If you have left it, start <code>pidex</code> again.
        </li>
        <li>
          Press <kbd>Ctrl+O</kbd>, or your key for <code>browser</code>.
        </li>
      </ol>
    </>
  ),
};
