/** A link that signs one browser in to the page, once. */
export interface SignInLink {
  readonly href: string;
  /** Resolved when the link no longer signs anyone in: it was used, revoked, or the page ended. */
  readonly ended: Promise<void>;
  revoke(): void;
}
