/** No other surface calls links yet. Links reports changes of links by events. */
export type Face = Record<never, never>
