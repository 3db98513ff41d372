/** No other surface asks anything of links yet: what happens to them is told by their events. */
export type Face = Record<never, never>
