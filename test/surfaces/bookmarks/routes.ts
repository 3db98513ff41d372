/** The operations on the bookmarks of the caller. */
import { sql } from '../../../src/kernel/database/sql.ts'
import { etag, expectedVersions } from '../../../src/kernel/http/etag.ts'
import { page } from '../../../src/kernel/http/page.ts'
import { reply, route, type Route } from '../../../src/kernel/http/route.ts'
import { changeBookmark } from './change-bookmark.ts'
import { createBookmark } from './create-bookmark.ts'
import { deleteBookmark } from './delete-bookmark.ts'
import { problem } from './errors.ts'
import {
  Bookmark,
  BookmarkPage,
  BookmarkQuery,
  ChangeBookmark,
  columns,
  CreateBookmark,
} from './schemas.ts'
import type { Kernel } from './settings.ts'

const one = {
  path: '/v1/bookmarks/{bookmark_id}',
  added: true,
  absent: 'bookmark_not_found',
} as const

export function routes(kernel: Kernel): readonly Route[] {
  return [listRoute(), readRoute(), ...writeRoutes(kernel)]
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path: '/v1/bookmarks',
    name: 'listBookmarks',
    summary: 'List your bookmarks, newest first',
    permission: 'bookmarks.bookmarks.read',
    added: true,
    query: BookmarkQuery,
    replies: { 200: BookmarkPage },
    handle: async ({ tx, principal, list }) => {
      const { body, headers } = await page(tx, {
        scope: list,
        row: Bookmark,
        place: ['id'],
        fetch: (after, n) => sql`
          select ${columns} from bookmarks.bookmarks
          where tenant_id = ${principal.tenant_id} and owner_id = ${principal.id}
            and deleted_at is null and (${after.id}::uuid is null or id < ${after.id}::uuid)
          order by id desc
          limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function readRoute(): Route {
  return route({
    ...one,
    method: 'GET',
    name: 'readBookmark',
    summary: 'Read a bookmark',
    permission: 'bookmarks.bookmarks.read',
    sends: ['etag'],
    replies: { 200: Bookmark },
    handle: async ({ tx, principal, params }) => {
      const bookmark = await tx.maybe(
        Bookmark,
        sql`
          select ${columns} from bookmarks.bookmarks
          where tenant_id = ${principal.tenant_id} and owner_id = ${principal.id}
            and id = ${params.bookmark_id} and deleted_at is null`,
      )
      if (!bookmark) throw problem('bookmark_not_found')
      return reply(200, bookmark, { etag: etag(bookmark.version) })
    },
  })
}

function writeRoutes(kernel: Kernel): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/bookmarks',
      name: 'createBookmark',
      summary: 'Create a bookmark',
      permission: 'bookmarks.bookmarks.write',
      added: true,
      body: CreateBookmark,
      refuses: { visibility: null },
      sends: ['etag', 'location'],
      fails: ['quota_exceeded'],
      replies: { 201: Bookmark },
      handle: async ({ tx, principal, body }) => {
        const bookmark = await createBookmark(tx, kernel, principal, body)
        const location = `/v1/bookmarks/${bookmark.id}`
        return reply(201, bookmark, { location, etag: etag(bookmark.version) })
      },
    }),
    route({
      ...one,
      method: 'PATCH',
      name: 'changeBookmark',
      summary: 'Change a bookmark',
      permission: 'bookmarks.bookmarks.write',
      body: ChangeBookmark,
      sends: ['etag'],
      fails: ['precondition_failed'],
      replies: { 200: Bookmark },
      handle: async ({ tx, principal, params, body, request }) => {
        const versions = expectedVersions(request.headers['if-match'])
        const change = { ...body, id: params.bookmark_id }
        const bookmark = await changeBookmark(tx, kernel, principal, change, versions)
        return reply(200, bookmark, { etag: etag(bookmark.version) })
      },
    }),
    route({
      ...one,
      method: 'DELETE',
      name: 'deleteBookmark',
      summary: 'Delete a bookmark',
      permission: 'bookmarks.bookmarks.write',
      fails: ['precondition_failed'],
      replies: { 204: null },
      handle: async ({ tx, principal, params, request }) => {
        const versions = expectedVersions(request.headers['if-match'])
        await deleteBookmark(tx, principal, params.bookmark_id, versions)
        return reply(204, null)
      },
    }),
  ]
}
