/**
 * The code that Node or a driver set on an error, such as ENOENT; the text `undefined` where there
 * is none.
 */
export function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code)
}
