/** No other surface calls links yet: their events contain what happens to them. */
export type Face = Record<never, never>
