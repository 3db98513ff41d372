/**
 * What other surfaces may call: nothing yet. Their events reach subscribers through the event log.
 */
export type Face = Readonly<Record<never, never>>
