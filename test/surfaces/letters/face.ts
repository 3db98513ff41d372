/** No surface calls letters. */
export type Face = Readonly<Record<never, never>>
