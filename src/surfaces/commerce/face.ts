/** What other surfaces may ask of commerce: nothing yet; they listen to its events. */
export type Face = Record<never, never>
