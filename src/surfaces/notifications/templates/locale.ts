/**
 * Chooses the language of a template for a recipient by RFC 4647 lookup: `de-CH-1996` to `de-CH` to
 * `de`.
 */
export function pickLocale(
  available: readonly string[],
  wanted: readonly (string | null)[],
  otherwise: string,
): string {
  const names = new Map(available.map(name => [name.toLowerCase(), name]))
  for (const one of wanted) {
    let range = one?.toLowerCase() ?? ''
    while (range !== '') {
      const found = names.get(range)
      if (found) return found
      range = range.slice(0, Math.max(0, range.lastIndexOf('-')))
      // A single letter begins an extension and has no meaning alone.
      if (/-[a-z0-9]$/.test(range)) range = range.slice(0, -2)
    }
  }
  return otherwise
}
