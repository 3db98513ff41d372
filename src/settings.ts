/**
 * The settings of the whole platform: the tables of its surfaces, in their order. This file loads
 * no other part of the surfaces, so that the command line can explain a setting without starting
 * anything.
 */
import { readConfig, type Config, type Environment } from './runtime/config.ts'
import { settings as chat } from './surfaces/chat/settings.ts'
import { settings as commerce } from './surfaces/commerce/settings.ts'
import { settings as identity } from './surfaces/identity/settings.ts'
import { settings as inference } from './surfaces/inference/settings.ts'
import { settings as jobs } from './surfaces/jobs/settings.ts'
import { settings as links } from './surfaces/links/settings.ts'
import { settings as notifications } from './surfaces/notifications/settings.ts'
import { settings as payments } from './surfaces/payments/settings.ts'
import { settings as retrieval } from './surfaces/retrieval/settings.ts'
import { settings as social } from './surfaces/social/settings.ts'
import { settings as uploads } from './surfaces/uploads/settings.ts'
import { settings as webhooks } from './surfaces/webhooks/settings.ts'

export const tables = [
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

/** The configuration of this process. `overrides` are from the command line and win. */
export function loadConfig(overrides?: Environment, env?: Environment): Config {
  return readConfig(tables, overrides, env)
}
