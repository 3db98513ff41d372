/** Takes the digest of a file of any size: the body is read while it arrives. */
import { createHash } from 'node:crypto'
import { problemsOf, reply, route, sql, type Route } from '#dodeca/kernel'
import { errors } from '../errors.ts'
import { FileDigest, Found } from '../schemas.ts'

const problem = problemsOf(errors)
export const file_bytes_max = 2 * 1024 * 1024

export function digestRoute(): Route {
  return route({
    method: 'PUT',
    path: '/v1/notes/{note_id}/file-digest',
    summary: 'Take the digest of a file',
    permission: 'notes.notes.write',
    added: true,
    absent: 'note_not_found',
    transaction: 'own',
    consumes: 'stream',
    body_limit_bytes: file_bytes_max,
    body_seconds: 3,
    replies: { 200: FileDigest },
    handle: async ({ db, principal, params, request }) => {
      const note = await db.maybe(
        Found,
        sql`
          select version, deleted_at from notes.notes
          where tenant_id = ${principal.tenant_id} and id = ${params.note_id} and deleted_at is null`,
      )
      if (!note) throw problem('note_not_found')
      const hash = createHash('sha256')
      let size_bytes = 0
      for await (const chunk of request.stream() as AsyncIterable<Buffer>) {
        hash.update(chunk)
        size_bytes += chunk.length
      }
      return reply(200, { size_bytes, sha256: hash.digest('hex') })
    },
  })
}
