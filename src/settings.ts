/**
 * The settings of an application: the tables of its surfaces, in their order, and their rules. Of the
 * platform's surfaces this file loads only the settings, so that the command line can explain and
 * check them without starting anything.
 */
import type { SettingTable } from '#dodeca/kernel'
import { namesOf, ownSurfaces, type App } from './app.ts'
import { readConfig, type Config, type Declared, type Environment } from './runtime/config.ts'
import type { SurfaceName } from './runtime/surface-names.ts'
import * as chat from './surfaces/chat/settings.ts'
import * as commerce from './surfaces/commerce/settings.ts'
import * as identity from './surfaces/identity/settings.ts'
import * as inference from './surfaces/inference/settings.ts'
import * as jobs from './surfaces/jobs/settings.ts'
import * as links from './surfaces/links/settings.ts'
import * as notifications from './surfaces/notifications/settings.ts'
import * as payments from './surfaces/payments/settings.ts'
import * as retrieval from './surfaces/retrieval/settings.ts'
import * as social from './surfaces/social/settings.ts'
import * as uploads from './surfaces/uploads/settings.ts'
import * as webhooks from './surfaces/webhooks/settings.ts'

const surfaces: Readonly<Record<SurfaceName, Declared>> = {
  identity,
  jobs,
  uploads,
  notifications,
  payments,
  commerce,
  links,
  social,
  chat,
  inference,
  retrieval,
  webhooks,
}

function declaredBy(app: App): readonly Declared[] {
  const { payments: provider } = app.providers ?? {}
  const names = namesOf(app)
  const of_providers = provider && names.includes('payments') ? [provider] : []
  return [...names.map(name => surfaces[name]), ...of_providers, ...ownSurfaces(app)]
}

export function tablesOf(app: App): readonly SettingTable[] {
  return declaredBy(app).map(one => one.settings)
}

/** The tables of the platform with its twelve surfaces. */
export const tables = tablesOf({})

/**
 * The configuration of this process. `overrides` are from the command line and win. All faults are
 * reported together, before a folder, a file of keys or a database is touched.
 */
export function loadConfig(overrides?: Environment, env?: Environment, app: App = {}): Config {
  return readConfig(declaredBy(app), overrides, env, app.settings)
}
