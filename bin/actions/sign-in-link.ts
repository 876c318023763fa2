/** A single-use link that signs a browser in to the web page. */
export interface SignInLink {
  readonly href: string;
  /** Resolves when the link is no longer valid: used, revoked, or the server stopped. */
  readonly ended: Promise<void>;
  revoke(): void;
}
