/**
 * A bookmark of one person: an address on the web with a title and tags. Each change puts off the
 * moment at which it becomes stale.
 */
import { Type } from 'typebox'
import { defaulted, given, record, resource, shown, sql, text } from '#dodeca/kernel'
import { renewed, staleAt } from './mark-stale.ts'
import type { Kernel } from './settings.ts'

const Url = Type.String({ minLength: 8, maxLength: 2048, pattern: '^https?://\\S+$' })

const bookmark = record('bookmarks.bookmarks', {
  noun: 'bookmark',
  tombstone: true,
  fields: {
    url: given(Url),
    title: given(text(200)),
    tags: defaulted(Type.Array(text(40), { maxItems: 20 }), []),
    stale: shown(Type.Boolean(), false),
  },
})

export const bookmarks = resource(bookmark, {
  path: '/v1/bookmarks',
  one: 'bookmark',
  many: 'bookmarks',
  of: 'owner',
  most: 10_000,
  kept_days: 30,
  instead: { link: 'url' },
  create: (tx, scope, body, { kernel }: { readonly kernel: Kernel }) =>
    bookmark.insert(tx, scope, body, { set: { due_at: staleAt(kernel.settings) } }),
  change: (tx, scope, { id, if_match, body }, { kernel }) => {
    const set = renewed(staleAt(kernel.settings))
    return bookmark.update(tx, scope, id, { ...body, stale: false }, { if_match, set })
  },
  remove: (tx, scope, { id, if_match }) =>
    bookmark.remove(tx, scope, id, { if_match, set: renewed(sql`null`) }),
})
