/**
 * What other surfaces may call. There is nothing yet, because their events reach subscribers
 * through the event log.
 */
export type Face = Readonly<Record<never, never>>
