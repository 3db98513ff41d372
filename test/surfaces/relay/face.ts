/** No other surface calls the relay. */
export type Face = Record<never, never>
