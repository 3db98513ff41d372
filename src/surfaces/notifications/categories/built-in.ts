/**
 * The built-in categories of the deployment. They do not change; surfaces of an application declare
 * further ones, and so does a tenant.
 * Categories of class security cannot be switched off and are not delayed. Only code may send them,
 * or a caller with a grant for the exact category.
 */
import type { MessageCategory } from '#dodeca/kernel'
import type { Channel } from '../schemas.ts'

export type Category = {
  readonly name: string
  readonly class: 'security' | 'transactional' | 'operational' | 'marketing'
  readonly default_channels: readonly Channel[]
  readonly user_can_disable: boolean
  readonly respects_quiet_hours: boolean
  readonly unsubscribe: boolean
  readonly default_ttl_seconds: number
  readonly on_unknown: 'resend_same_ref' | 'give_up'
}

const default_ttl_seconds = 259_200

const usual = {
  user_can_disable: true,
  respects_quiet_hours: true,
  unsubscribe: false,
  default_ttl_seconds,
  on_unknown: 'resend_same_ref',
} as const

const all: readonly Category[] = [
  {
    ...usual,
    name: 'identity.security',
    class: 'security',
    default_channels: ['email'],
    user_can_disable: false,
    respects_quiet_hours: false,
    default_ttl_seconds: 86_400,
  },
  {
    ...usual,
    name: 'order.updates',
    class: 'transactional',
    default_channels: ['email', 'in_app'],
    user_can_disable: false,
    respects_quiet_hours: false,
  },
  {
    ...usual,
    name: 'chat.message',
    class: 'operational',
    default_channels: ['push', 'in_app'],
    default_ttl_seconds: 86_400,
  },
  { ...usual, name: 'social.activity', class: 'operational', default_channels: ['push', 'in_app'] },
  {
    ...usual,
    name: 'webhooks.health',
    class: 'operational',
    default_channels: ['email', 'in_app'],
    respects_quiet_hours: false,
  },
  {
    ...usual,
    name: 'links.health',
    class: 'operational',
    default_channels: ['email', 'in_app'],
    respects_quiet_hours: false,
  },
]

export const builtInCategories: ReadonlyMap<string, Category> = new Map(
  all.map(category => [category.name, category]),
)

/**
 * People can unsubscribe from marketing. A marketing message that may have arrived is not sent
 * again.
 */
export function withDefaults(name: string, given: MessageCategory): Category {
  const marketing = given.class === 'marketing'
  return {
    name,
    class: given.class,
    default_channels: given.default_channels,
    user_can_disable: marketing || (given.user_can_disable ?? true),
    respects_quiet_hours: given.respects_quiet_hours ?? true,
    unsubscribe: marketing || (given.unsubscribe ?? false),
    default_ttl_seconds: given.default_ttl_seconds ?? default_ttl_seconds,
    on_unknown: given.on_unknown ?? (marketing ? 'give_up' : 'resend_same_ref'),
  }
}
