/**
 * One field to find anything: what fits an id, a number or the beginning of a name, in every list that
 * the caller may read. Nothing is stored for it, so a row is found from its commit on, and under the
 * rights that the caller has now.
 */
import { Type } from 'typebox'
import {
  allowsSome,
  closed,
  Id,
  isId,
  limit,
  nullable,
  problem,
  routesOf,
  Time,
} from '#dodeca/kernel'
import type { Route } from '#dodeca/kernel'
import type { Match, Search, Sought } from '../../kernel/http/contract/list-facts.ts'
import { lazily } from '../lazily.ts'

const shown_max = limit('kernel.matches_shown', 6, 'rows', 'Rows of one list that a search returns')
const ids_max = limit('kernel.matches_ids', 100, 'ids', 'Ids that one search names')

const Matches = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          /** The path of its list below `/v1/`, such as `orders`. */
          kind: Type.String(),
          id: Id,
          title: Type.String(),
          subtitle: nullable(Type.String()),
          state: nullable(Type.String()),
          at: nullable(Time),
          /** Where to read it; null if it has no page of its own. */
          path: nullable(Type.String()),
        },
        { title: 'Match' },
      ),
    ),
    /** The lists with more such rows. Ask them with `find`, products with `q`. */
    more: Type.Array(Type.String()),
  },
  { title: 'Matches' },
)

const Query = closed({
  q: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 200,
      description: 'An id, a number, or how a name or an address begins.',
      examples: ['lovelace'],
    }),
  ),
  kind: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The path of the only list to look in, below `/v1/`.',
      examples: ['accounts'],
    }),
  ),
  ids: Type.Optional(
    Type.String({
      maxLength: ids_max * 37,
      description: 'With `kind`: the ids of rows, separated by commas.',
    }),
  ),
})

const open_to_all: ReadonlySet<string> = new Set(['public', 'authenticated'])

type Deps = { readonly routes: () => readonly Route[] }
type Kind = {
  readonly kind: string
  readonly permission: Route['permission']
  readonly search: Search
  pathOf(match: Match): string | null
}

const { open, get } = routesOf<Deps & { readonly kinds: () => readonly Kind[] }>({ added: true })

const routes = open({
  findMatches: get(
    '/v1/matches',
    'Find things by an id, a number, or the beginning of a name or an address',
    {
      description:
        'With `q`: up to six rows of each list that you may read, or of one with `kind`. With ' +
        '`kind` and `ids` (separated by commas): these rows of the list, without the absent ones.',
      permission: 'authenticated',
      rate: 'matches',
      transaction: 'own',
      head: true,
      query: Query,
      reply: Matches,
    },
    async ({ db, principal, query, grants }, { kinds }) => {
      const by = soughtBy(query)
      const most = 'ids' in by ? by.ids.length : shown_max + 1
      const mine = await grants()
      const asked = kinds().filter(
        ({ kind, permission }) =>
          (query.kind ?? kind) === kind &&
          (open_to_all.has(permission) || allowsSome(mine, permission)),
      )
      const caller = { tx: db, principal, grants }
      const found = await Promise.all(
        asked.map(async one => ({ ...one, read: await one.search(caller, { by, most }) })),
      )
      const readable = found.flatMap(({ read, ...one }) => (read ? [{ ...one, read }] : []))
      // In a transaction they share one connection, and one packet in each direction.
      const rows = await db.tx(tx => Promise.all(readable.map(({ read }) => read(tx))))
      const shown = 'ids' in by ? most : shown_max
      return {
        data: readable.flatMap(({ kind, pathOf }, at) =>
          (rows[at] ?? []).slice(0, shown).map(match => {
            const { item: _item, ...facts } = match
            return { kind, ...facts, path: pathOf(match) }
          }),
        ),
        more: readable.flatMap(({ kind }, at) => ((rows[at]?.length ?? 0) > shown ? [kind] : [])),
      }
    },
  ),
})

export function matchRoutes(deps: Deps): readonly Route[] {
  return routes({ ...deps, kinds: lazily(() => kindsOf(deps.routes())) })
}

function soughtBy({ q, kind, ids }: { q?: string; kind?: string; ids?: string }): Sought {
  const known = ids?.split(',')
  const is_wrong = known
    ? q !== undefined || kind === undefined || known.length > ids_max || !known.every(isId)
    : q === undefined
  if (is_wrong) {
    throw problem('validation_failed', {
      detail: `Send \`q\`, or \`kind\` with \`ids\`: up to ${ids_max} UUIDs, separated by commas.`,
      errors: [{ location: 'query', pointer: known ? '/ids' : '/q', constraint: 'required' }],
    })
  }
  return known ? { ids: known } : { text: (q ?? '').trim() }
}

/** Lists below another thing are asked on its page. */
function kindsOf(all: readonly Route[]): Kind[] {
  return all.flatMap(({ path, permission, lists, finds: search = lists?.search }) => {
    if (!search || path.includes('{')) return []
    const one = all.find(
      other => other.method === 'GET' && new RegExp(`^${path}/\\{[a-z_]+\\}$`).test(other.path),
    )
    const name = /\{([a-z_]+)\}$/.exec(one?.path ?? '')?.[1] ?? ''
    const pathOf = ({ id, item }: Match) => {
      const key = item[name]
      return one ? `${path}/${encodeURIComponent(typeof key === 'string' ? key : id)}` : null
    }
    return [{ kind: path.replace('/v1/', ''), permission, search, pathOf }]
  })
}
