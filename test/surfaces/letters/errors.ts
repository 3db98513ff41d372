/** What letters refuse. */
export const errors = {
  letter_not_found: { status: 404, title: 'There is no such letter' },
} as const
