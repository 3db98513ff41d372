/** Routes of files: download URLs, the state of a file, and its deletion. */
import { Type } from 'typebox'
import type { Readable } from 'node:stream'
import { sql } from '../../../kernel/database/sql.ts'
import { page } from '../../../kernel/http/page.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { closed, count, Id, oneOf, pageQuery, RawBytes } from '../../../kernel/http/shapes.ts'
import type { Deps } from '../deps.ts'
import { SignedQuery } from '../parts/routes.ts'
import { DerivativeKind, File, FilePage, file_states, Purpose } from '../schemas.ts'
import { deleteFile } from './delete-file.ts'
import { downloadUrl, DownloadUrl, downloadUrls, ManyUrls } from './download-url.ts'
import { derivativesOf, fileColumns, FileRow, fileView } from './file-row.ts'
import { requireOwn, requireReadable } from './may-read.ts'
import { rescanFile } from './rescan-file.ts'
import { serveFile } from './serve-file.ts'

const path = '/v1/files'
const one = `${path}/{file_id}` as const
const absent = 'file_not_found'
const no_store = { 'cache-control': 'no-store' }
const Expiry = Type.Optional(count(30, 3600))

export function fileRoutes(deps: Deps): readonly Route[] {
  return [
    listRoute(),
    readRoute(deps),
    urlRoute(deps),
    urlsRoute(deps),
    deleteRoute(deps),
    rescanRoute(),
    bytesRoute(deps),
  ]
}

function urlRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: `${one}/download-url`,
    name: 'getFileDownloadUrl',
    summary: 'Get a short-lived URL to download a file or one of its derivatives',
    permission: 'authenticated',
    absent,
    query: closed({
      disposition: Type.Optional(oneOf('attachment', 'inline')),
      derivative: Type.Optional(DerivativeKind),
      expires_in: Expiry,
    }),
    replies: { 200: DownloadUrl },
    fails: [absent, 'derivative_not_found', 'file_not_available'],
    handle: async ({ tx, params, query, principal, grants }) => {
      const caller = { principal, grants }
      return reply(200, await downloadUrl(tx, deps, caller, params.file_id, query), no_store)
    },
  })
}

function urlsRoute(deps: Deps): Route {
  return route({
    method: 'POST',
    path: `${path}/download-urls`,
    name: 'getFileDownloadUrls',
    summary: 'Get download URLs of up to a hundred files',
    permission: 'authenticated',
    added: true,
    rate: 'read',
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
    replies: { 200: ManyUrls },
    handle: async ({ tx, body, principal, grants }) =>
      reply(200, await downloadUrls(tx, deps, { principal, grants }, body), no_store),
  })
}

function readRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: one,
    name: 'getFile',
    summary: 'Get the metadata of a file',
    permission: 'authenticated',
    added: true,
    absent,
    replies: { 200: File },
    fails: [absent],
    handle: async ({ tx, params, principal, grants }) => {
      const caller = { principal, grants }
      const permission = 'uploads.files.read_any'
      const file = await requireReadable(tx, deps, caller, params.file_id, permission)
      const derivatives = await derivativesOf(tx, file.tenant_id, [file.id])
      const findings = (await grants()).has('uploads.quarantine.read')
      return reply(200, fileView(file, derivatives, { findings, original: file.by !== 'surface' }))
    },
  })
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path,
    name: 'listFiles',
    summary: 'List your files, newest first',
    permission: 'authenticated',
    added: true,
    query: pageQuery({
      purpose: Type.Optional(Purpose),
      state: Type.Optional(oneOf(...file_states)),
    }),
    replies: { 200: FilePage },
    handle: async ({ tx, principal, query, list }) => {
      const { tenant_id, id: owner_id } = principal
      const { purpose = null, state = null } = query
      const found = await page(tx, {
        scope: list,
        row: FileRow,
        place: ['id'],
        fetch: ({ id }, n) => sql`
          select ${fileColumns} from uploads.files f
          where f.tenant_id = ${tenant_id} and f.owner_id = ${owner_id}
            and (${id}::uuid is null or f.id < ${id}::uuid)
            and (${purpose}::text is null or f.purpose = ${purpose})
            and (${state}::text is null or f.state = ${state})
            and (f.state not in ('deleted', 'purged') or f.state = ${state})
          order by f.id desc
          limit ${n}`,
      })
      const ids = found.body.data.map(row => row.id)
      const derivatives = await derivativesOf(tx, tenant_id, ids)
      const data = found.body.data.map(row => fileView(row, derivatives, { findings: false }))
      return reply(200, { ...found.body, data }, found.headers)
    },
  })
}

function deleteRoute({ kernel }: Deps): Route {
  return route({
    method: 'DELETE',
    path: one,
    name: 'deleteFile',
    summary: 'Delete a file; its URLs stop working immediately',
    permission: 'authenticated',
    added: true,
    absent,
    replies: { 204: null },
    fails: [absent],
    handle: async ({ tx, params, principal, grants }) => {
      const caller = { principal, grants }
      const file = await requireOwn(tx, caller, params.file_id, 'uploads.files.delete_any')
      const deleted = await deleteFile(tx, kernel, file)
      if (deleted && file.owner_id !== principal.id) {
        tx.audit({
          tenant_id: file.tenant_id,
          actor: principal.id,
          action: 'uploads.files.delete_any',
          target: `file:${file.id}`,
          outcome: 'done',
        })
      }
      return reply(204, null)
    },
  })
}

function rescanRoute(): Route {
  return route({
    method: 'POST',
    path: `${one}/rescan`,
    name: 'rescanFile',
    sends: ['location'],
    summary: 'Have a file scanned again',
    permission: 'uploads.files.rescan',
    added: true,
    absent,
    replies: { 202: Type.Object({ file_id: Id, status: oneOf('queued') }, { title: 'Rescan' }) },
    fails: [absent],
    handle: async ({ tx, params, principal }) => {
      const { tenant_id } = principal
      await rescanFile(tx, { tenant_id, id: params.file_id })
      tx.audit({
        tenant_id,
        actor: principal.id,
        action: 'uploads.files.rescan',
        target: `file:${params.file_id}`,
        outcome: 'done',
      })
      const location = `${path}/${params.file_id}`
      return reply(202, { file_id: params.file_id, status: 'queued' as const }, { location })
    },
  })
}

function bytesRoute(deps: Deps): Route {
  return route({
    method: 'GET',
    path: '/_objects/d/{file_id}/{variant}',
    name: 'downloadFile',
    sends: ['etag'],
    // The signature is checked before the reply can reveal whether the file exists.
    params: { file_id: Id, variant: oneOf('original', 'thumbnail', 'preview', 'sanitized') },
    absent,
    summary: 'Download a file from its signed URL',
    permission: 'public',
    takes: 'signed_url',
    added: true,
    transaction: 'own',
    head: true,
    idempotency: 'ignored',
    counts_refused: true,
    produces: ['application/octet-stream', 'image/webp', 'text/plain', '*/*'],
    query: closed({ ...SignedQuery, disposition: Type.Optional(oneOf('attachment', 'inline')) }),
    replies: { 200: RawBytes, 206: RawBytes, 304: null, 307: null },
    // A browser or proxy that has the file may keep it this long after a deletion.
    headers: { 'cache-control': 'private, max-age=60' },
    fails: [
      absent,
      'signed_url_invalid',
      'signed_url_expired',
      'precondition_failed',
      'range_not_satisfiable',
      'storage_unavailable',
    ],
    handle: async ({ db, params, query, request }) => {
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
  })
}
