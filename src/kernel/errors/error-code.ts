/**
 * Returns the code that Node or a driver set on an error, such as ENOENT. An error without a code
 * gives the text `undefined`.
 */
export function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code)
}
