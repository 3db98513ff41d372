/** The places of an application's own surfaces, which follow from its OpenAPI document. */
import given from 'dodeca:places'
import type { Place, Resource, Title } from '../resource.ts'

/** The names are in one language, that of the application. */
type Declared = {
  readonly name: string
  readonly title: string
  readonly resources: readonly (Omit<Resource, 'title' | 'related'> & {
    readonly title: string
    readonly named: string
    readonly related: readonly (Omit<NonNullable<Resource['related']>[number], 'title'> & {
      readonly title: string
    })[]
  })[]
}

const declared = given as readonly Declared[]
const inAll = (title: string): Title => ({ en: title, de: title })

export const own: readonly Place[] = declared.map(place => ({
  ...place,
  title: inAll(place.title),
  resources: place.resources.map(one => ({
    ...one,
    title: inAll(one.title),
    related: one.related.map(list => ({ ...list, title: inAll(list.title) })),
  })),
}))

/** The page of an id, by the name of the field that contains it. */
export const ownReferences: Readonly<Record<string, readonly [string, string]>> =
  Object.fromEntries(
    declared.flatMap(place =>
      place.resources
        .filter(one => one.named !== 'id')
        .map(one => [one.named, [place.name, one.name]] as const),
    ),
  )
