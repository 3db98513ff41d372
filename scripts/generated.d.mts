/** The files that are in git, by their names in the folder. */
export const tracked: Readonly<Record<string, string>>
export function ensureGenerated(): Promise<string>
