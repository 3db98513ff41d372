/**
 * The port of an embedding profile: it turns texts into vectors of length 1. A profile is immutable; what
 * would change a vector gets a new id. Vectors of two profiles are never compared with each other.
 */
export type EmbeddingProfile = {
  readonly id: string
  readonly dimensions: number
  /** Whether it finds what is said in other words. */
  readonly semantic: boolean
  /** BCP 47 primary tags; null: any language. */
  readonly languages: readonly string[] | null
  /** One vector for each text, in order. A query is computed before passages that wait. */
  embed(
    texts: readonly string[],
    purpose: 'query' | 'passage',
    payer: Payer,
    signal?: AbortSignal,
  ): Promise<Float32Array[]>
}

/** Whose quota an outside model uses. */
export type Payer = {
  readonly tenant_id: string
  readonly principal_id: string
  /** The document or the collection that is embedded or searched. */
  readonly parent_id: string
}

/** Computed in this process or its threads: nobody pays. */
export type LocalProfile = Omit<EmbeddingProfile, 'embed'> & {
  embed(
    texts: readonly string[],
    purpose: 'query' | 'passage',
    payer?: Payer,
    signal?: AbortSignal,
  ): Promise<Float32Array[]>
}

/** The profile cannot be used now. Another one must not take its place: wait, or search without it. */
export class ProfileUnavailable extends Error {
  override readonly name = 'ProfileUnavailable'
  readonly profile_id: string
  constructor(profile_id: string, reason: string, options?: ErrorOptions) {
    super(`The embedding profile ${profile_id} is not available: ${reason}`, options)
    this.profile_id = profile_id
  }
}
