/** Write a letter and read it, as each release does. */
import { newId, problemsOf, reply, route, sql, type Route } from '#dodeca/kernel'
import { errors } from './errors.ts'
import { shapesOf, type LettersRelease } from './schemas.ts'

const problem = problemsOf(errors)

export function routes(release: LettersRelease): readonly Route[] {
  return [writeLetter(release), readLetter(release)]
}

function writeLetter(release: LettersRelease): Route {
  const { Write, Letter, columns } = shapesOf(release)
  return route({
    method: 'POST',
    path: '/v1/letters',
    summary: 'Write a letter',
    permission: 'letters.letters.write',
    added: true,
    body: Write,
    replies: { 201: Letter },
    handle: async ({ tx, principal, body }) => {
      const given = body as { text: string; ink?: string; color?: string }
      const word = given.ink ?? given.color ?? null
      const names = { 1: sql`color`, 2: sql`ink, color`, 3: sql`ink` }[release]
      const values = release === 2 ? sql`${word}, ${word}` : sql`${word}`
      const letter = await tx.one(
        Letter,
        sql`
          insert into letters.letters (tenant_id, id, text, ${names})
          values (${principal.tenant_id}, ${newId()}, ${given.text}, ${values})
          returning id, text, ${columns}`,
      )
      return reply(201, letter)
    },
  })
}

function readLetter(release: LettersRelease): Route {
  const { Letter, columns } = shapesOf(release)
  return route({
    method: 'GET',
    path: '/v1/letters/{letter_id}',
    summary: 'Read a letter',
    permission: 'letters.letters.read',
    added: true,
    absent: 'letter_not_found',
    replies: { 200: Letter },
    handle: async ({ tx, principal, params }) => {
      const letter = await tx.maybe(
        Letter,
        sql`
          select id, text, ${columns} from letters.letters
          where tenant_id = ${principal.tenant_id} and id = ${params.letter_id}`,
      )
      if (!letter) throw problem('letter_not_found')
      return reply(200, letter)
    },
  })
}
