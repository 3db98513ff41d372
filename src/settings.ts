/**
 * The settings of the whole platform: the tables of its surfaces, in their order, and their rules.
 * Of a surface that has other code this file loads only the settings, so that the command line can
 * explain and check them without starting anything. A surface of resources is loaded as a whole.
 */
import { readConfig, type Config, type Environment } from './runtime/config.ts'
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

const surfaces = [
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
]

export const tables = surfaces.map(one => one.settings)

/**
 * The configuration of this process. `overrides` are from the command line and win. All faults are
 * reported together, before a folder, a file of keys or a database is touched.
 */
export function loadConfig(overrides?: Environment, env?: Environment): Config {
  return readConfig(surfaces, overrides, env)
}
