/** What other surfaces may ask of retrieval: nothing yet; they listen to its events. */
export type Face = Record<never, never>
