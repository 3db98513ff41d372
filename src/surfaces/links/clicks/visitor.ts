/**
 * The data that a redirect keeps about a visitor until the click gets its coarse form a moment
 * later. This data is never stored.
 */

/**
 * The link of the click. Many clicks share the same object, so that a batch can number the links
 * quickly.
 */
export type Clicked = { readonly domain_id: string; readonly code: string }

/** The inputs of a click's coarse form. Many clicks of one connection share the same object. */
export type Visitor = {
  readonly agent: string
  readonly referrer: string
  readonly language: string
  /** The country from a header that the operator trusts, or an empty text. */
  readonly country: string
  readonly address: string
  readonly query: string
  /** Whether the visitor asks not to be tracked (`Sec-GPC: 1`, `DNT: 1`). */
  readonly private: boolean
  readonly prefetch: boolean
  readonly head: boolean
}
