/** No other surface calls links yet. Links uses events to report what happens to a link. */
export type Face = Record<never, never>
