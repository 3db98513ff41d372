/**
 * How a surface explains itself in the published document. A member of a body, a query or a path has one
 * meaning in a surface, so it is explained once, by its name, and not in each schema that has it. A
 * `description` or `examples` in a schema goes before what stands here.
 */
export type Reference = {
  /** What the surface is for: two or three sentences above its operations. */
  readonly introduction: string
  /** By name, or by `Title.name` where one schema means something else by that name. */
  readonly members: Readonly<Record<string, Member>>
}

/** One sentence, and a value that a reader believes (else one is derived from the schema). */
export type Member = readonly [says: string, example?: unknown]

export type Members = Reference['members']
export type Json = Record<string, unknown>
