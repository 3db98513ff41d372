/** What the platform finds for a text, with the page of each in the console. */
import { fill, titleOf, words } from './language.ts'
import { findOperation, operation } from './operation.ts'
import { offeredPlaces } from './places/places.ts'
import { readMatches, type Match } from './read-matches.ts'
import type { Place, Resource } from './resource.ts'
import { addressOf } from './router.tsx'

export type Shown = Match & {
  readonly place: Place
  readonly resource: Resource
  readonly item: string
  readonly to: string
  /** Where it is, for people. */
  readonly where: string
}

/** Those that have a page here. */
export async function findMatches(q: string, signal: AbortSignal): Promise<readonly Shown[]> {
  const resources = byKind()
  const { data, more } = await readMatches({ q }, signal)
  const found = data.flatMap(match => {
    const one = resources.get(match.kind)
    return one ? [shown(match, one)] : []
  })
  const lists = more.flatMap(kind => {
    const one = resources.get(kind)
    return one ? listWith(q, one) : []
  })
  return [...found, ...lists, ...pagesNamed(q.toLowerCase())]
}

/** The pages of the menu whose name begins so. */
function pagesNamed(q: string): readonly Shown[] {
  const named = ({ title }: Place | Resource) => titleOf(title).toLowerCase().startsWith(q)
  return offeredPlaces().flatMap(place =>
    place.resources
      .filter(named)
      .map(resource => pageOf({ place, resource }, titleOf(resource.title))),
  )
}

/** Only some of what fits is found; its list has all. */
function listWith(q: string, { place, resource }: Found): readonly Shown[] {
  const { list } = resource
  const by = ['find', 'q'].find(name => list && operation(list).query[name])
  if (!by) return []
  return [
    pageOf(
      { place, resource },
      fill(words.more_like_this, { where: titleOf(resource.title) }),
      addressOf([place.name, resource.name], { [by]: q }),
    ),
  ]
}

function pageOf({ place, resource }: Found, title: string, address?: string): Shown {
  return {
    place,
    resource,
    kind: resource.name,
    id: resource.name,
    item: '',
    path: null,
    title,
    subtitle: null,
    state: null,
    where: titleOf(place.title),
    to: address ?? addressOf([place.name, resource.name]),
  }
}

type Found = { readonly place: Place; readonly resource: Resource }

/** A kind is the path of a list. A resource that shows only a part of it (`of`) is not its page. */
function byKind(): ReadonlyMap<string, Found> {
  return new Map(
    offeredPlaces().flatMap(place =>
      place.resources.flatMap(resource => {
        const { list, read, of } = resource
        const path = (list && findOperation(list)?.path) ?? ''
        return read && !of ? [[path.replace('/v1/', ''), { place, resource }] as const] : []
      }),
    ),
  )
}

function shown(match: Match, { place, resource }: Found): Shown {
  const item =
    match.path === null ? match.id : decodeURIComponent(match.path.split('/').at(-1) ?? '')
  const where = `${titleOf(place.title)} · ${titleOf(resource.title)}`
  return {
    ...match,
    place,
    resource,
    item,
    where,
    to: addressOf([place.name, resource.name, item]),
  }
}
