/** Letters announce nothing. */
export const events = {}
