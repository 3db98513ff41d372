/**
 * How a surface explains itself in the published document. A member of a body, a query or a path
 * has one meaning in a surface, so it is described once, by its name, and not in each schema that
 * has it. A `description` or `examples` in a schema overrides it.
 */
export type Reference = {
  /** The purpose of the surface: two or three sentences above its operations. */
  readonly introduction: string
  /** By name, or by `Title.name` where one schema means something else by that name. */
  readonly members: Readonly<Record<string, Member>>
}

/** One sentence, and a realistic value (otherwise one is derived from the schema). */
export type Member = readonly [says: string, example?: unknown]

export type Members = Reference['members']
export type Json = Record<string, unknown>
