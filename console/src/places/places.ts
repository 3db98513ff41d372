/**
 * The places of the console in the order of the menu: first those of the application. A new surface of
 * the platform is a file and a line here.
 */
import { isOffered, type Place, type Resource } from '../resource.ts'
import { chat } from './chat.ts'
import { commerce } from './commerce.ts'
import { events } from './events.ts'
import { identity } from './identity.ts'
import { inference } from './inference.ts'
import { jobs } from './jobs.ts'
import { links } from './links.ts'
import { notifications } from './notifications.ts'
import { own } from './own.ts'
import { payments } from './payments.ts'
import { platform } from './platform.ts'
import { retrieval } from './retrieval.ts'
import { social } from './social.ts'
import { uploads } from './uploads.ts'
import { webhooks } from './webhooks.ts'

const all: readonly Place[] = [
  ...own,
  identity,
  jobs,
  webhooks,
  payments,
  notifications,
  commerce,
  uploads,
  links,
  social,
  chat,
  inference,
  retrieval,
  events,
  platform,
]

/** The places that the person may see. */
export function offeredPlaces(): Place[] {
  return all
    .map(place => ({ ...place, resources: place.resources.filter(isOffered) }))
    .filter(place => place.resources.length > 0)
}

/**
 * Finds places that the menu does not show, too: a person who opens such an address gets the
 * platform's own error.
 */
export function findPlace(name: string): Place | null {
  return all.find(place => place.name === name) ?? null
}

export function findResource(place: Place, name: string): Resource | null {
  return place.resources.find(one => one.name === name) ?? null
}
