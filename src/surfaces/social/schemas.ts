/** Shapes that more than one folder of social uses. */
import { Type, type Static } from 'typebox'
import { Id, nullable, Time } from '#dodeca/kernel'

/** The caller's own id, or `me`. */
export const Author = Type.Object(
  {
    id: Id,
    handle: Type.String({ maxLength: 30 }),
    display_name: Type.String({ maxLength: 200 }),
    avatar_file_id: nullable(Id),
  },
  { title: 'Author' },
)
export type Author = Static<typeof Author>

/** The columns of `u` (users) that a view of an author needs. */
export const AuthorRow = {
  author_id: Type.String(),
  handle: Type.String(),
  display_name: Type.String(),
  avatar_file_id: nullable(Type.String()),
}

export function authorOf(row: {
  author_id: string
  handle: string
  display_name: string
  avatar_file_id: string | null
}): Author {
  const { author_id: id, handle, display_name, avatar_file_id } = row
  return { id, handle, display_name, avatar_file_id }
}

export const Follow = Type.Object(
  {
    follower_id: Id,
    followed_id: Id,
    state: Type.Unsafe<'pending' | 'active'>({ type: 'string', enum: ['pending', 'active'] }),
    created_at: Time,
  },
  { title: 'Follow' },
)
export type Follow = Static<typeof Follow>
