/** The code that Node or a driver put on an error, such as ENOENT; `undefined` as a text where there is none. */
export function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code)
}
