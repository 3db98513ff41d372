export function removeUnusedFiles(root: string): void
