/**
 * What a redirect remembers of who asked, until the click is put into its coarse form a moment later.
 * Nothing of it is ever written anywhere.
 */

/** Who was clicked. The same object for many clicks, so that a batch can number it at once. */
export type Clicked = { readonly domain_id: string; readonly code: string }

/** All that a click's coarse form is made of. The same object for many clicks of one connection. */
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
