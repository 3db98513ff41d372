/**
 * The names and descriptions that a surface gives for the published document. A property of a body,
 * a query or a path has one meaning in a surface. So the property is described once, by its name,
 * and not in each schema that contains it. A `description` or `examples` in a schema overrides
 * this.
 */
export type Reference = {
  /** The purpose of the surface: two or three sentences above its operations. */
  readonly introduction: string
  /**
   * Descriptions by `Title.name`, by `Title.parent.name` for a member of a member, or by property
   * name if it means the same in every schema.
   */
  readonly members: Readonly<Record<string, Member>>
}

/** One sentence and a realistic value. If the value is missing, the schema determines it. */
export type Member = readonly [says: string, example?: unknown]

export type Members = Reference['members']

/**
 * The words of one noun, for all schemas that show it, whose titles are separated by spaces. A
 * member of a member is `parent.name`.
 */
export function ofNoun(
  titles: string,
  says: Readonly<Record<string, string | Members[string]>>,
): Members {
  const entries = titles
    .split(/\s+/)
    .flatMap(title =>
      Object.entries(says).map(
        ([name, one]) =>
          [`${title}.${name}`, typeof one === 'string' ? ([one] as const) : one] as const,
      ),
    )
  return Object.fromEntries(entries)
}
export type Json = Record<string, unknown>
