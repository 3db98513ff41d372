/**
 * Returns the code that Node or a driver set on an error, such as ENOENT, or the text `undefined`
 * if there is none.
 */
export function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code)
}
