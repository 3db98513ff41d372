/**
 * Patterns of event types: a type, all types of a noun (`order.*`), or `*`. Permissions to read
 * events are patterns too.
 */

/** The permission of subscriptions, rules and waits, whether webhooks are on or not. */
export const events_read = 'webhooks.events.read'

/**
 * The noun before the dot. If a name has no dot, such as `OrderConfirmed`, the noun is the first
 * word of the name.
 */
export function nounOf(type: string): string {
  const dot = type.indexOf('.')
  if (dot > 0) return type.slice(0, dot)
  return (/^[A-Z]?[a-z0-9]+/.exec(type)?.[0] ?? type).toLowerCase()
}

/** Every pattern that the type matches. */
export function patternsOf(type: string): string[] {
  return ['*', `${nounOf(type)}.*`, type]
}

/** The types that the holder of these grants may read, as patterns. */
export function readablePatterns(grants: ReadonlySet<string>): string[] {
  const prefix = `${events_read}:`
  return [...grants]
    .filter(one => one.startsWith(prefix))
    .map(one => one.slice(prefix.length))
    .sort()
}

/** `*` means everything that may be read. A group requires the permission for the whole group. */
export function mayRead(grants: ReadonlySet<string>, pattern: string): boolean {
  const readable = readablePatterns(grants)
  if (pattern === '*') return readable.length > 0
  const wanted = pattern.endsWith('.*') ? ['*', pattern] : patternsOf(pattern)
  return wanted.some(one => readable.includes(one))
}
