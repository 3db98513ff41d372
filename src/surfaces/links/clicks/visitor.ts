/**
 * What a redirect keeps of a visitor until the click gets its coarse form a moment later. None of
 * it is ever stored.
 */

/** The link. The same object for many clicks, so that a batch can number it quickly. */
export type Clicked = { readonly domain_id: string; readonly code: string }

/** The inputs of a click's coarse form. The same object for many clicks of one connection. */
export type Visitor = {
  readonly agent: string
  readonly referrer: string
  readonly language: string
  /** From a header that the operator trusts, or empty. */
  readonly country: string
  readonly address: string
  readonly query: string
  /** Asks not to be tracked (`Sec-GPC: 1`, `DNT: 1`). */
  readonly private: boolean
  readonly prefetch: boolean
  readonly head: boolean
}
