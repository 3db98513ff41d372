/** Nobody asks anything of the relay. */
export type Face = Record<never, never>
