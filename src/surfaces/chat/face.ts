/** What other surfaces may ask of chat: nothing yet; they listen to its events. */
export type Face = Record<never, never>
