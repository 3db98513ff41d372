/** What the account book refuses. */
export const errors = {
  account_not_found: { status: 404, title: 'There is no such account' },
  insufficient_funds: { status: 409, title: 'The balance is too small' },
} as const
