/** The route by which the local engine receives parts. S3 receives them itself. */
import { Type } from 'typebox'
import { closed, Id, reply, routesOf, text } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { receivePart } from './receive-part.ts'
import type { Slots } from './slots.ts'

export const SignedQuery = {
  exp: Type.Optional(text(20)),
  kid: Type.Optional(text(64)),
  sig: Type.Optional(text(64)),
}

type PartDeps = Pick<Deps, 'kernel' | 'rights'> & { readonly slots: Slots }
const { open, put } = routesOf<PartDeps>({ added: true })

export const partRoutes = open({
  sendUploadPart: put(
    '/_objects/u/{upload_id}/{part_number}',
    'Send one part of an upload to its signed URL',
    ({ kernel }: PartDeps) => ({
      sends: ['etag'],
      // The signature is checked before the reply can reveal whether the upload exists.
      params: { upload_id: Id, part_number: Type.String({ pattern: '^[1-9][0-9]{0,4}$' }) },
      absent: 'signed_url_invalid',
      permission: 'public',
      takes: 'signed_url',
      transaction: 'own',
      idempotency: 'ignored',
      // The request that signed the URL was counted. Here only invalid signatures count.
      counts_refused: true,
      consumes: 'stream',
      query: closed(SignedQuery),
      body_limit_bytes: 5 * 1024 ** 3,
      body_seconds: kernel.settings['uploads.part_seconds'],
      replies: { 200: null },
      fails: [
        'content_length_required',
        'invalid_header',
        'signed_url_invalid',
        'signed_url_expired',
        'request_timeout',
        'invalid_transition',
        'content_too_large',
        'part_size_mismatch',
        'part_checksum_mismatch',
        'type_not_allowed',
        'rate_limited',
        'capacity_exceeded',
        'storage_full',
      ],
    }),
    async ({ db, params, query, request }, deps) => {
      const { upload_id } = params
      const part_number = Number(params.part_number)
      const etag = await receivePart(db, deps, { upload_id, part_number, query, request })
      return reply(200, null, { etag })
    },
  ),
})
