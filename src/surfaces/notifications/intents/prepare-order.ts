/**
 * Turns a request into an order. Checks category, grants, template, data and times, in this order.
 */
import { lacks, parseTime, type Tx } from '#dodeca/kernel'
import type { Category } from '../categories/built-in.ts'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Channel, Priority } from '../schemas.ts'
import { fitOf } from '../templates/data-schema.ts'
import type { TemplateVersion } from '../templates/find-template.ts'
import type { NewNotification } from './schemas.ts'
import { lacksForMessage } from './senders.ts'

/** The input for one notification or for a whole batch. */
export type Prepared = {
  readonly category: Category
  readonly template: TemplateVersion
  readonly channels: readonly Channel[]
  readonly priority: Priority
  readonly scheduled_at_ms: number | null
  readonly expires_at_ms: number
}

type Asked = Pick<
  NewNotification,
  'category' | 'template' | 'channels' | 'priority' | 'scheduled_at' | 'expires_at'
> &
  Pick<Partial<NewNotification>, 'digest'>

export type Asker = { readonly tenant_id: string; readonly grants: ReadonlySet<string> | null }

/** `grants` is null if code of the platform is the sender. */
export async function prepare(
  tx: Tx,
  { kernel, categories, templates }: Pick<Deps, 'kernel' | 'categories' | 'templates'>,
  { tenant_id, grants }: Asker,
  asked: Asked,
  default_priority: Priority = 'normal',
): Promise<Prepared> {
  const category = await categories.find(tx, tenant_id, asked.category)
  if (!category) {
    throw problem('unknown_category', {
      detail: 'Define the category with PUT /v1/notification-categories/{name} first.',
      errors: [{ location: 'body', pointer: '/category', constraint: 'defined' }],
    })
  }
  const priority = asked.priority ?? default_priority
  if (grants) requireGrants(grants, category, priority)
  const is_security = category.class === 'security'
  const template = await templates.toSend(tx, tenant_id, asked.template, is_security)
  const channels = channelsOf(asked.channels, category, template)
  return { category, template, channels, priority, ...timesOf(kernel, asked, category) }
}

function requireGrants(grants: ReadonlySet<string>, category: Category, priority: Priority): void {
  const lacking = lacksForMessage(grants, { category, priority })
  if (lacking === null) return
  if (lacking === 'critical') {
    throw lacks(`notifications.intents.send_critical:${category.name}`)
  }
  const exact = 'A category of class security needs a grant of its exact name.'
  throw problem('permission_denied', { detail: exact })
}

/**
 * Requested channels must have a text. Default channels of the category are left out if they have
 * none.
 */
function channelsOf(
  named: readonly Channel[] | undefined,
  { default_channels }: Category,
  { channels: texts }: TemplateVersion,
): readonly Channel[] {
  const missing = named?.find(channel => !texts.has(channel))
  const usable = (named ?? default_channels).filter(channel => texts.has(channel))
  if (missing === undefined && usable.length > 0) return usable
  throw problem('channel_without_template', {
    detail: `The template has no text for ${missing ?? default_channels.join(', ')}. Add it in a new version, or name other channels.`,
    errors: [{ location: 'body', pointer: '/channels', constraint: 'template' }],
  })
}

function timesOf(
  { clock, settings }: Deps['kernel'],
  { scheduled_at, expires_at, digest }: Asked,
  category: Category,
) {
  if (digest && scheduled_at !== undefined) {
    throw problem('validation_failed', {
      detail: 'A digest is sent when its window ends. Leave out `scheduled_at` or `digest`.',
      errors: [{ location: 'body', pointer: '/scheduled_at', constraint: 'not' }],
    })
  }
  const now_ms = clock.nowMs()
  const scheduled_at_ms = scheduled_at === undefined ? null : parseTime(scheduled_at)
  const latest_ms = now_ms + settings['notifications.schedule_max_seconds'] * 1000
  if (scheduled_at_ms !== null && scheduled_at_ms > latest_ms) {
    throw problem('schedule_out_of_range', {
      detail: `Schedule it at most ${settings['notifications.schedule_max_seconds']} s ahead.`,
      errors: [{ location: 'body', pointer: '/scheduled_at', constraint: 'maximum' }],
    })
  }
  const begins_ms = Math.max(now_ms, scheduled_at_ms ?? 0)
  const expires_at_ms =
    expires_at === undefined
      ? begins_ms + category.default_ttl_seconds * 1000
      : parseTime(expires_at)
  if (expires_at_ms > begins_ms) return { scheduled_at_ms, expires_at_ms }
  throw problem('expiry_before_schedule', {
    detail: 'Give an expires_at after scheduled_at and after now.',
    errors: [{ location: 'body', pointer: '/expires_at', constraint: 'minimum' }],
  })
}

/** `pointer` is the place of the data in the request. */
export async function requireData(
  { kernel: { settings } }: Pick<Deps, 'kernel'>,
  { data_schema }: TemplateVersion,
  data: object,
  pointer = '/data',
): Promise<void> {
  const bytes_max = settings['notifications.data_bytes']
  if (Buffer.byteLength(JSON.stringify(data)) > bytes_max) {
    throw problem('template_data_invalid', {
      detail: `The data has at most ${bytes_max} bytes.`,
      errors: [{ location: 'body', pointer, constraint: 'maxBytes' }],
    })
  }
  if (!data_schema) return
  const fits = await fitOf(data_schema)
  const errors = await fits(data, pointer)
  if (errors.length === 0) return
  throw problem('template_data_invalid', {
    detail: 'The data does not fit the schema of the template.',
    errors,
  })
}
