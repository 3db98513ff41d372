/**
 * The interface of an embedding profile: it turns texts into vectors of length 1. A profile is
 * immutable; a change that affects vectors needs a new id. Vectors of two profiles are never
 * compared.
 */
export type EmbeddingProfile = {
  readonly id: string
  readonly dimensions: number
  /** Whether a search finds texts that have the same meaning in other words. */
  readonly semantic: boolean
  /** BCP 47 primary tags; null: any language. */
  readonly languages: readonly string[] | null
  /** One vector for each text, in order. A query is computed before waiting passages. */
  embed(
    texts: readonly string[],
    purpose: 'query' | 'passage',
    payer: Payer,
    signal?: AbortSignal,
  ): Promise<Float32Array[]>
}

/** The account whose quota an external model uses. */
export type Payer = {
  readonly tenant_id: string
  readonly principal_id: string
  /** The document or the collection that is embedded or searched. */
  readonly parent_id: string
  readonly tags?: readonly string[]
}

/** Computed in this process or its threads, so no quota is used. */
export type LocalProfile = Omit<EmbeddingProfile, 'embed'> & {
  embed(
    texts: readonly string[],
    purpose: 'query' | 'passage',
    payer?: Payer,
    signal?: AbortSignal,
  ): Promise<Float32Array[]>
}

/**
 * The profile cannot be used now. No other profile may replace it: the caller waits, or searches
 * without vectors.
 */
export class ProfileUnavailable extends Error {
  override readonly name = 'ProfileUnavailable'
  readonly profile_id: string
  constructor(profile_id: string, reason: string, options?: ErrorOptions) {
    super(`The embedding profile ${profile_id} is not available: ${reason}`, options)
    this.profile_id = profile_id
  }
}
