/** What the note list refuses. */
export const errors = {
  note_not_found: { status: 404, title: 'There is no such note' },
} as const
