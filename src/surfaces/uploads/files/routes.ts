/** Routes of files: download URLs, the state of a file, and its deletion. */
import { Type } from 'typebox'
import type { Readable } from 'node:stream'
import {
  begins,
  closed,
  count,
  equal,
  Id,
  oneOf,
  owner,
  RawBytes,
  reply,
  routesOf,
  sql,
} from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { SignedQuery } from '../parts/routes.ts'
import { DerivativeKind, File, file_states, Purpose } from '../schemas.ts'
import { deleteFile } from './delete-file.ts'
import { downloadUrl, DownloadUrl, downloadUrls, ManyUrls } from './download-url.ts'
import { DerivativeRow, derivativesOf, derivativesOfEach, FileRow, fileView } from './file-row.ts'
import { requireOwn, requireReadable } from './may-read.ts'
import { rescanFile } from './rescan-file.ts'
import { serveFile } from './serve-file.ts'

const path = '/v1/files'
const one = `${path}/{file_id}` as const
const no_store = { 'cache-control': 'no-store' }
const Expiry = Type.Optional(count(30, 3600))

const { open, get, list, post, del } = routesOf<Deps>({
  absent: 'file_not_found',
  permission: 'authenticated',
  added: true,
  params: { variant: oneOf('original', 'thumbnail', 'preview', 'sanitized') },
})

export const fileRoutes = open({
  listFiles: list(path, 'List your files, newest first', {
    tool: 'read',
    from: 'uploads.files',
    row: Type.Object({ ...FileRow.properties, derivatives: Type.Array(DerivativeRow) }),
    columns: { derivatives: derivativesOfEach },
    item: File,
    view: ({ derivatives, ...row }) => fileView(row, derivatives, { findings: false }),
    of: owner('owner_id', 'uploads.files.read_any', 'own'),
    time: 'id',
    filters: {
      purpose: equal(Purpose),
      state: equal(
        oneOf(...file_states),
        state => sql`t.state = ${state}`,
        sql`t.state not in ('deleted', 'purged')`,
      ),
    },
    find: [begins('filename')],
    shows: ['filename', 'purpose'],
  }),

  getFile: get(
    one,
    'Get the metadata of a file',
    { tool: 'read', for_others: 'uploads.files.read_any', reply: File },
    async ({ tx, params, principal, grants }, deps) => {
      const caller = { principal, grants }
      const permission = 'uploads.files.read_any'
      const { by, ...file } = await requireReadable(tx, deps, caller, params.file_id, permission)
      const derivatives = await derivativesOf(tx, file.tenant_id, [file.id])
      const findings = (await grants()).has('uploads.quarantine.read')
      return fileView(file, derivatives, { findings, original: by !== 'surface' })
    },
  ),

  getFileDownloadUrl: get(
    `${one}/download-url`,
    'Get a short-lived URL to download a file or one of its derivatives',
    {
      tool: 'never',
      for_others: 'uploads.files.download_any',
      query: closed({
        disposition: Type.Optional(oneOf('attachment', 'inline')),
        derivative: Type.Optional(DerivativeKind),
        expires_in: Expiry,
      }),
      reply: DownloadUrl,
      fails: ['derivative_not_found', 'file_not_available'],
      added: false,
    },
    async ({ tx, params, query, principal, grants }, deps) => {
      const caller = { principal, grants }
      return reply(200, await downloadUrl(tx, deps, caller, params.file_id, query), no_store)
    },
  ),

  getFileDownloadUrls: post(
    `${path}/download-urls`,
    'Get download URLs of up to a hundred files',
    {
      tool: 'never',
      for_others: 'uploads.files.download_any',
      rate: 'read',
      // It only reads, and the URLs of a repeat are valid for longer.
      idempotency: 'ignored',
      body: closed(
        {
          files: Type.Array(closed({ file_id: Id, derivative: Type.Optional(DerivativeKind) }), {
            minItems: 1,
            maxItems: 100,
          }),
          expires_in: Expiry,
        },
        { title: 'AskDownloadUrls' },
      ),
      reply: ManyUrls,
    },
    async ({ tx, body, principal, grants }, deps) =>
      reply(200, await downloadUrls(tx, deps, { principal, grants }, body), no_store),
  ),

  deleteFile: del(
    one,
    'Delete a file; its URLs stop working immediately',
    { for_others: 'uploads.files.delete_any' },
    async ({ tx, params, principal, grants }, { kernel }) => {
      const caller = { principal, grants }
      const file = await requireOwn(tx, caller, params.file_id, 'uploads.files.delete_any')
      const deleted = await deleteFile(tx, kernel, file)
      if (deleted && file.owner_id !== principal.id) {
        tx.audit('uploads.files.delete_any', `file:${file.id}`)
      }
    },
  ),

  rescanFile: post(
    `${one}/rescan`,
    'Have a file scanned again',
    {
      sends: ['location'],
      permission: 'uploads.files.rescan',
      replies: { 202: Type.Object({ file_id: Id, status: oneOf('queued') }, { title: 'Rescan' }) },
    },
    async ({ tx, params, principal }) => {
      const { tenant_id } = principal
      await rescanFile(tx, { tenant_id, id: params.file_id })
      tx.audit('uploads.files.rescan', `file:${params.file_id}`)
      const location = `${path}/${params.file_id}`
      return reply(202, { file_id: params.file_id, status: 'queued' as const }, { location })
    },
  ),

  downloadFile: get(
    '/_objects/d/{file_id}/{variant}',
    'Download a file from its signed URL',
    {
      sends: ['etag'],
      params: { file_id: Id, variant: oneOf('original', 'thumbnail', 'preview', 'sanitized') },
      permission: 'public',
      takes: 'signed_url',
      transaction: 'own',
      head: true,
      idempotency: 'ignored',
      counts_refused: true,
      produces: ['application/octet-stream', 'image/webp', 'text/plain', '*/*'],
      query: closed({ ...SignedQuery, disposition: Type.Optional(oneOf('attachment', 'inline')) }),
      replies: { 200: RawBytes, 206: RawBytes, 304: null, 307: null },
      headers: { 'cache-control': 'private, max-age=60' },
      fails: [
        'signed_url_invalid',
        'signed_url_expired',
        'precondition_failed',
        'range_not_satisfiable',
        'storage_unavailable',
      ],
    },
    async ({ db, params, query, request }, deps) => {
      const { file_id, variant } = params
      const { status, body, headers } = await serveFile(db, deps, {
        file_id,
        variant,
        query,
        request,
      })
      if (status === 304 || status === 307) return reply(status, null, headers)
      return reply(status, body as Readable, headers)
    },
  ),
})
