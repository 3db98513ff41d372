/** A value that is made at its first use, and once. */
export function lazily<T extends string | object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
