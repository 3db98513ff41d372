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
   * Descriptions by property name, or by `Title.name` if the name means something else in one
   * schema.
   */
  readonly members: Readonly<Record<string, Member>>
}

/** One sentence and a realistic value. If the value is missing, the schema determines it. */
export type Member = readonly [says: string, example?: unknown]

export type Members = Reference['members']
export type Json = Record<string, unknown>
