/** People refuse nothing of their own. */
export const errors = {}
