/** Notes with a version, a map of labels, and a kind that narrows who may write them. */
import { type Static, Type } from 'typebox'
import { closed, Id, nullable, pageOf, pageQuery, text, Time, Version } from '#dodeca/kernel'

const Labels = Type.Record(Type.String({ maxLength: 40 }), Type.String({ maxLength: 100 }))

export const Note = Type.Object(
  {
    id: Id,
    title: Type.String(),
    labels: Labels,
    kind: Type.String(),
    version: Version,
    created_at: Time,
  },
  { title: 'Note' },
)
export type Note = Static<typeof Note>

export const NoteRow = Type.Object({ ...Note.properties, deleted_at: nullable(Time) })

const content = {
  title: text(200),
  labels: Type.Optional(Labels),
  place: Type.Optional(
    closed({ city: Type.Optional(text(80)), country: Type.Optional(text(2, 2)) }),
  ),
  kind: Type.Optional(text(20)),
  remind_at: Type.Optional(Time),
}
export const WriteNote = closed(content)
export const PatchNote = closed({ title: Type.Optional(text(200)), labels: Type.Optional(Labels) })
export const NoteQuery = pageQuery({ kind: Type.Optional(text(20)) })
export const SearchQuery = pageQuery({ word: text(40) })
export const Match = Type.Object({ ...Note.properties, created_us: Type.Integer() })
export const NotePage = pageOf(Note)
export const Found = Type.Object({ version: Version, deleted_at: nullable(Time) })
export const Count = Type.Object({ written: Type.Integer() })
export const FileDigest = Type.Object({
  size_bytes: Type.Integer(),
  sha256: Type.String({ minLength: 64, maxLength: 64 }),
})
