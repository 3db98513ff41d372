/** What other surfaces may call: nothing yet. Whatever they announce reaches subscribers by the event log. */
export type Face = Readonly<Record<never, never>>
