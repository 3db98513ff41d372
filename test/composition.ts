/** The surfaces under test: the platform's own, and small ones that prove the kernel. */
import type { Composition } from '../src/runtime/platform-parts.ts'
import { readConfig, type Config, type Environment } from '../src/runtime/config.ts'
import { tables } from '../src/settings.ts'
import type { Opened } from '#dodeca/kernel'
import { book } from './surfaces/book/surface.ts'
import { bookmarks } from './surfaces/bookmarks/surface.ts'
import { deals } from './surfaces/deals/surface.ts'
import { leads } from './surfaces/leads/surface.ts'
import { settings as notesSettings } from './surfaces/notes/settings.ts'
import { notes } from './surfaces/notes/surface.ts'
import type { Face as People } from './surfaces/people/face.ts'
import { people } from './surfaces/people/surface.ts'
import { relay } from './surfaces/relay/surface.ts'

/** The platform's settings and those of the small surfaces. */
export function testConfig(overrides?: Environment, env?: Environment): Config {
  const all = [...tables, notesSettings, bookmarks.settings, leads.settings]
  return readConfig(
    all.map(settings => ({ settings })),
    overrides,
    env,
  )
}

export type TestFaces = { people: People; opened: Record<string, Opened> }

/** `onOpen` gets the faces once they are open: with them tests reach functions without a route. */
export function testComposition(
  vendor_url: string,
  onOpen: (faces: TestFaces) => void = () => {},
): Composition {
  return {
    surfaces: [people, book, notes, bookmarks, deals, leads, relay],
    open: kernelFor => {
      const who = people.open(kernelFor(people), {})
      const opened = {
        people: who,
        book: book.open(kernelFor(book), {}),
        notes: notes.open(kernelFor(notes), { vendor_url }),
        bookmarks: bookmarks.open(kernelFor(bookmarks), {}),
        deals: deals.open(kernelFor(deals), {}),
        leads: leads.open(kernelFor(leads), {}),
        relay: relay.open(kernelFor(relay), { vendor_url }),
      }
      onOpen({ people: who.face, opened })
      return { opened, access: who.face.access }
    },
  }
}
