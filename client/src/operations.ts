/** The operations that take an Idempotency-Key; generate.ts writes this file. */
export const keyed: Readonly<Record<string, true>> = {}
