/**
 * The functions that other surfaces may call. There are none yet, because the events of other
 * surfaces reach subscribers through the event log.
 */
export type Face = Readonly<Record<never, never>>
