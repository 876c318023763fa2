import type { Role } from "../protocol.ts";

/** Who asks a hub, and the shelves that they have something to do with. */
export interface Reader {
  role: Role;
  /** The shelf of their private sessions. */
  own: number;
  /** The shelves of the team's projects. What a reader sees of them depends on the role. */
  projects: readonly ProjectShelf[];
}

export interface ProjectShelf {
  shelf: number;
  /** The project's name. */
  name: string;
}

/** The shelves with sessions that a reader may see. */
export function getReadableShelves({ role, own, projects }: Reader): number[] {
  const seesProjects = role === "owner" || role === "member";
  return seesProjects ? [own, ...projects.map(({ shelf }) => shelf)] : [own];
}
