/** The face of retrieval has no functions, because other surfaces only consume its events. */
export type Face = Record<never, never>
