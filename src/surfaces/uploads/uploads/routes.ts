/**
 * Routes of uploads: create an upload, list incomplete uploads, send parts, complete, show and
 * abort an upload.
 */
import { isNotModified, owner, reply, routesOf, sql } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import {
  Completed,
  CompleteUpload,
  CreateUpload,
  NewUpload,
  RegisteredParts,
  RegisterParts,
  Upload,
  OpenUpload,
} from '../schemas.ts'
import { registerParts } from '../parts/register-parts.ts'
import { abortUpload } from './abort-upload.ts'
import { completeUpload, type Verifying } from './complete-upload.ts'
import { createUpload, newUploadOf, prepareUpload } from './create-upload.ts'
import { readUpload } from './read-upload.ts'
import { findUpload } from './upload-row.ts'

const path = '/v1/uploads'
const one = `${path}/{upload_id}` as const
const no_store = { 'cache-control': 'no-store' }
/** Enough for a list of 10,000 parts, each with four members. */
const of_parts = {
  // The parts that are stored decide what a repeat returns.
  transaction: 'own',
  idempotency: 'ignored',
  body_optional: true,
  body_limit_bytes: 4 * 1024 * 1024,
  body_members_max: 50_000,
} as const

const { open, get, list, create, post, del } = routesOf<Deps & { readonly verifying: Verifying }>({
  absent: 'upload_not_found',
  permission: 'authenticated',
})

export const uploadRoutes = open({
  createUpload: create(
    path,
    'Begin an upload and get the URLs for its parts',
    {
      tool: 'never',
      for_types: 'uploads.uploads.create',
      description:
        'A file of one part is sent by PUT to `upload_url`, a larger one in parts to `part_urls`. Nothing is downloadable before the upload is completed and its file is `available`.',
      idempotency: 'optional',
      record: 'reference',
      body: CreateUpload,
      instead: {
        allowed_types: 'media_category',
        max_size: 'expected_size',
      },
      reply: NewUpload,
      fails: [
        'permission_denied',
        'content_too_large',
        'validation_failed',
        'type_not_allowed',
        'rate_limited',
        'quota_exceeded',
        'storage_unavailable',
        'storage_full',
      ],
    },
    {
      prepare: ({ body, principal, grants }, deps) =>
        prepareUpload(deps, { principal, grants }, body),
      handle: async ({ tx, body, principal, prepared }, deps) => {
        const upload = await createUpload(tx, deps, { principal }, body, prepared)
        const made = await newUploadOf(deps, upload)
        return reply(201, made, { ...no_store, location: `${path}/${upload.id}` })
      },
      again: async ({ tx, principal, grants, resource_ref }, deps) => {
        const id = resource_ref.slice(resource_ref.lastIndexOf('/') + 1)
        const upload = await findUpload(tx, { principal, grants }, id, null)
        const made = await newUploadOf(deps, upload)
        return reply(201, made, { ...no_store, location: `${path}/${id}` })
      },
    },
  ),

  // The stored parts are not shown, because each upload would need its own request to the store.
  listUploads: list(path, 'List your uploads that are not complete, newest first', {
    description:
      'A completed upload is in the list of files. `scope=tenant` lists the uploads of everybody.',
    added: true,
    from: 'uploads.uploads',
    row: OpenUpload,
    columns: { verifying: sql`t.due_at is not null` },
    // The index of open uploads finds them, and they are few: `uploads.open_per_principal`.
    where: sql`t.state = 'initiated'`,
    of: owner('owner_id', 'uploads.uploads.read_any', 'own'),
    fails: ['permission_denied'],
  }),

  registerUploadParts: post(
    `${one}/parts`,
    'List the stored parts, and get URLs for the missing parts',
    {
      tool: 'never',
      ...of_parts,
      body: RegisterParts,
      reply: RegisteredParts,
      fails: [
        'invalid_transition',
        'upload_parts_mismatch',
        'validation_failed',
        'storage_unavailable',
      ],
    },
    async ({ db, params, body, principal, grants }, deps) => {
      const asked = (body as typeof body | undefined) ?? {} // the body is optional
      const caller = { principal, grants }
      return reply(200, await registerParts(db, deps, caller, params.upload_id, asked), no_store)
    },
  ),

  completeUpload: post(
    `${one}/complete`,
    'Complete an upload: its bytes are verified, and its file is processed',
    {
      sends: ['location'],
      description:
        'The request can be repeated: for a completed upload, the reply is its file. If parts differ, the reply is 409 and you can send them again. If the checksum differs, the reply is 422: the upload fails if it was begun with the checksum, and stays open if only this request states it.',
      ...of_parts,
      body: CompleteUpload,
      replies: { 200: Completed, 202: Completed },
      fails: [
        'upload_parts_mismatch',
        'checksum_mismatch',
        'completion_in_progress',
        'invalid_transition',
        'validation_failed',
        'storage_full',
        'storage_unavailable',
      ],
    },
    async ({ db, params, body, principal, grants }, deps) => {
      const asked = (body as typeof body | undefined) ?? {} // the body is optional
      const caller = { principal, grants }
      const { upload_id } = params
      const { status, body: completed } = await completeUpload(db, deps, caller, upload_id, asked)
      return reply(status, completed, { location: `${path}/${upload_id}` })
    },
  ),

  getUpload: get(
    one,
    'An upload: its state, what is missing, and its file',
    {
      for_others: 'uploads.uploads.read_any',
      sends: ['etag'],
      replies: { 200: Upload, 304: null },
      headers: { 'cache-control': 'private, no-cache' },
      fails: ['storage_unavailable'],
    },
    async ({ params, principal, grants, request }, deps) => {
      const { db } = deps.kernel
      const { view, version } = await readUpload(db, deps, { principal, grants }, params.upload_id)
      const headers = { etag: `"${version}"` }
      const known = String(request.headers['if-none-match'] ?? '')
      return isNotModified(known, headers.etag)
        ? reply(304, null, headers)
        : reply(200, view, headers)
    },
  ),

  abortUpload: del(
    one,
    'Abort an upload and delete its parts',
    {
      for_others: 'uploads.uploads.abort_any',
      fails: ['invalid_transition', 'completion_in_progress'],
    },
    async ({ tx, params, principal, grants }) => {
      await abortUpload(tx, { principal, grants }, params.upload_id)
    },
  ),
})
