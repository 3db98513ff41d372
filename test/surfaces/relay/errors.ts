/** What the relay refuses. */
export const errors = {
  message_refused: { status: 409, title: 'The message was refused outside' },
} as const
