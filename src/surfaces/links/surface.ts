/** The link shortener as the kernel sees it: its parts are opened once and wired together here. */
import type { Surface } from '../../kernel/surface.ts'
import type { Deps, Jobs } from './deps.ts'
import { openLookAlikes } from './destinations/look-alikes.ts'
import { openWebRisk } from './destinations/web-risk.ts'
import { openPlatformDomain } from './domains/platform.ts'
import { openTxtLookup } from './domains/txt-lookup.ts'
import { errors } from './errors.ts'
import { events } from './events.ts'
import type { Face } from './face.ts'
import { loops } from './loops.ts'
import { applyBlocklist } from './moderation/apply-blocklist.ts'
import { permissions } from './permissions.ts'
import { openChanges } from './redirecting/changed.ts'
import { routes } from './routes.ts'
import { newCode } from './shortening/codes.ts'
import { openReservedWords } from './shortening/reserved-words.ts'

export type Needs = {
  /** Where long work goes; without it the routes that begin such work are not there. */
  readonly jobs: Jobs | null
}

export const links: Surface<Face, Needs> = {
  name: 'links',
  migrations: new URL('./migrations/', import.meta.url),
  permissions,
  errors,
  events,
  open: (kernel, { jobs }) => {
    const { settings } = kernel
    const reputation = settings['links.url_reputation'] === 'web_risk' ? openWebRisk(kernel) : null
    const deps: Deps = {
      kernel,
      platform: openPlatformDomain(kernel),
      reserved: openReservedWords(kernel),
      changes: openChanges(kernel),
      newCode,
      lookAlikes: openLookAlikes(settings['links.protected_hosts']),
      reputation,
      lookUpTxt: openTxtLookup(settings),
      jobs,
    }
    return {
      face: {},
      routes: routes(deps),
      loops: loops(deps),
      jobTypes: [applyBlocklist(deps)],
      close: async () => reputation?.close(),
    }
  },
}
