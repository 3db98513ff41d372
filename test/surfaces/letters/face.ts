/** Nobody calls letters. */
export type Face = Readonly<Record<never, never>>
