/** People announce nothing. */
export const events = {}
