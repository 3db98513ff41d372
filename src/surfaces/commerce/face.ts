/** What other surfaces may ask of commerce: nothing; they consume its events. */
export type Face = Record<never, never>
