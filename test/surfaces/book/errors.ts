/** What the account book refuses. */
export const errors = {
  account_not_found: { status: 404, title: 'There is no such account' },
  account_number_taken: {
    status: 409,
    title: 'Another account has the number',
    violated: ['accounts_number'],
  },
  insufficient_funds: { status: 409, title: 'The balance is too small' },
} as const
