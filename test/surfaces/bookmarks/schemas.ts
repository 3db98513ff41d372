/** A bookmark of one person: an address on the web with a title and tags. */
import { type Static, Type } from 'typebox'
import { sql } from '../../../src/kernel/database/sql.ts'
import {
  closed,
  Id,
  page,
  pageQuery,
  text,
  Time,
  Version,
} from '../../../src/kernel/http/shapes.ts'

const Url = Type.String({ minLength: 8, maxLength: 2048, pattern: '^https?://\\S+$' })
const Tags = Type.Array(text(40), { maxItems: 20 })

export const Bookmark = Type.Object(
  {
    id: Id,
    url: Type.String(),
    title: Type.String(),
    tags: Type.Array(Type.String()),
    stale: Type.Boolean(),
    version: Version,
    created_at: Time,
    updated_at: Time,
  },
  { title: 'Bookmark' },
)
export type Bookmark = Static<typeof Bookmark>
/** The columns of a bookmark in a reply. */
export const columns = sql`id, url, title, tags, stale, version, created_at, updated_at`

export const BookmarkPage = page(Bookmark)
export const BookmarkQuery = pageQuery({})

export const CreateBookmark = closed(
  { url: Url, title: text(200), tags: Type.Optional(Tags) },
  { title: 'CreateBookmark' },
)
export type CreateBookmark = Static<typeof CreateBookmark>

export const ChangeBookmark = closed(
  { url: Type.Optional(Url), title: Type.Optional(text(200)), tags: Type.Optional(Tags) },
  { title: 'ChangeBookmark' },
)
export type ChangeBookmark = Static<typeof ChangeBookmark>
