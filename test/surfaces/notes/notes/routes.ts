/** The operations of a list of notes. */
import { etag, expectVersion, newId, page, problemsOf, reply, route, sql } from '#dodeca/kernel'
import type { Route } from '#dodeca/kernel'
import { digestRoute } from './digest-file.ts'
import type { Deps } from '../deps.ts'
import { errors } from '../errors.ts'
import { setReminder } from '../reminders/send-reminder.ts'
import {
  Found,
  Match,
  Note,
  NotePage,
  NoteQuery,
  NoteRow,
  PatchNote,
  SearchQuery,
  WriteNote,
} from '../schemas.ts'

const problem = problemsOf(errors)
const columns = sql`id, title, labels, kind, version, created_at`

export function noteRoutes(deps: Pick<Deps, 'kernel'>): readonly Route[] {
  return [
    writeRoute(deps),
    readRoute(),
    listRoute(),
    searchRoute(),
    patchRoute(),
    deleteRoute(),
    digestRoute(),
  ]
}

function writeRoute({ kernel }: Pick<Deps, 'kernel'>): Route {
  return route({
    method: 'POST',
    path: '/v1/notes',
    summary: 'Write a note',
    permission: 'notes.notes.write:{body.kind}',
    added: true,
    body: WriteNote,
    sends: ['etag', 'location'],
    replies: { 201: Note },
    fails: ['quota_exceeded'],
    handle: async ({ tx, principal, body }) => {
      const { id: owner_id, tenant_id } = principal
      const mine = sql`
        select from notes.notes
        where tenant_id = ${tenant_id} and owner_id = ${owner_id} and deleted_at is null`
      const most = kernel.settings['notes.notes_per_account']
      await kernel.counted(tx, `notes.notes:${tenant_id}:${owner_id}`, most, mine)
      const note = await tx.one(
        Note,
        sql`
          insert into notes.notes (tenant_id, id, owner_id, title, labels, kind)
          values (${tenant_id}, ${newId()}, ${owner_id}, ${body.title},
            ${sql.json(body.labels ?? {})}, ${body.kind ?? 'plain'})
          returning ${columns}`,
      )
      const { remind_at } = body
      if (remind_at) await setReminder(tx, { tenant_id, id: note.id, remind_at })
      tx.emit({
        type: 'note.written',
        tenant_id,
        aggregate_type: 'note',
        aggregate_id: note.id,
        aggregate_version: note.version,
        data: { note_id: note.id },
      })
      return reply(201, note, { location: `/v1/notes/${note.id}`, etag: etag(note.version) })
    },
  })
}

function readRoute(): Route {
  return route({
    method: 'GET',
    path: '/v1/notes/{note_id}',
    summary: 'Read a note',
    permission: 'authenticated',
    rate_tenant: false,
    added: true,
    absent: 'note_not_found',
    sends: ['etag'],
    replies: { 200: Note },
    handle: async ({ tx, principal, params }) => {
      const note = await tx.maybe(
        Note,
        sql`
          select ${columns} from notes.notes
          where tenant_id = ${principal.tenant_id} and id = ${params.note_id} and deleted_at is null`,
      )
      if (!note) throw problem('note_not_found')
      return reply(200, note, { etag: etag(note.version) })
    },
  })
}

/** How many notes one search looks at. */
const look_max = 200

function listRoute(): Route {
  return route({
    method: 'GET',
    path: '/v1/notes',
    summary: 'List notes, newest first',
    permission: 'authenticated',
    added: true,
    query: NoteQuery,
    replies: { 200: NotePage },
    handle: async ({ tx, principal, query: { kind = null }, list }) => {
      const { body, headers } = await page(tx, {
        scope: list,
        row: Note,
        place: ['id'],
        fetch: (after, n) => sql`
          select ${columns} from notes.notes
          where tenant_id = ${principal.tenant_id} and deleted_at is null
            and (${kind}::text is null or kind = ${kind}::text)
            and (${after.id}::uuid is null or id < ${after.id}::uuid)
          order by id desc
          limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function searchRoute(): Route {
  return route({
    method: 'GET',
    path: '/v1/note-matches',
    summary: 'Find notes by a word of their title, newest first',
    permission: 'authenticated',
    added: true,
    query: SearchQuery,
    replies: { 200: NotePage },
    handle: async ({ tx, principal, query, list }) => {
      const { body, headers } = await page(tx, {
        scope: list,
        row: Match,
        place: ['created_us', 'id'],
        look_max,
        view: ({ created_us: _place, ...note }) => note,
        fetch: (after, n) => sql`
          select ${columns}, strpos(title, ${query.word}) > 0 as wanted,
            (extract(epoch from created_at) * 1000000)::bigint as created_us
          from notes.notes
          where tenant_id = ${principal.tenant_id} and deleted_at is null
            and (${after.created_us}::bigint is null or (created_at, id) <
              (to_timestamp(0) + ${after.created_us}::bigint * interval '1 microsecond',
                ${after.id}::uuid))
          order by created_at desc, id desc
          limit ${n}`,
      })
      return reply(200, body, headers)
    },
  })
}

function patchRoute(): Route {
  return route({
    method: 'PATCH',
    path: '/v1/notes/{note_id}',
    summary: 'Change a note',
    permission: 'authenticated',
    added: true,
    absent: 'note_not_found',
    sends: ['etag'],
    fails: ['precondition_failed'],
    body: PatchNote,
    replies: { 200: Note },
    handle: async ({ tx, principal, params, body, request }) => {
      const where = sql`tenant_id = ${principal.tenant_id} and id = ${params.note_id}`
      const found = await tx.maybe(
        Found,
        sql`
          select version, deleted_at from notes.notes
          where ${where} and deleted_at is null for no key update`,
      )
      if (!found) throw problem('note_not_found')
      expectVersion(request.headers['if-match'], found.version)
      const note = await tx.one(
        Note,
        sql`
          update notes.notes
          set title = coalesce(${body.title ?? null}, title),
            labels = coalesce(${body.labels ? sql.json(body.labels) : null}::jsonb, labels),
            version = version + 1
          where ${where}
          returning ${columns}`,
      )
      return reply(200, note, { etag: etag(note.version) })
    },
  })
}

function deleteRoute(): Route {
  return route({
    method: 'DELETE',
    path: '/v1/notes/{note_id}',
    summary: 'Delete a note',
    permission: 'authenticated',
    added: true,
    absent: 'note_not_found',
    replies: { 204: null },
    handle: async ({ tx, principal, params }) => {
      const gone = await tx.maybe(
        NoteRow,
        sql`
          update notes.notes set deleted_at = coalesce(deleted_at, now())
          where tenant_id = ${principal.tenant_id} and id = ${params.note_id}
          returning ${columns}, deleted_at`,
      )
      if (!gone) throw problem('note_not_found')
      return reply(204, null)
    },
  })
}
