/** Reads submitted forms, and renders the fields of a form with their errors beside them. */
import { inspect, markup, type Markup } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { next_max, type Form, type Visit } from './visit.ts'

const value_max = 1024
/** What a passkey says is longer, and bounded by the limit of the body. */
const long: Readonly<Record<string, number>> = { credential: Infinity, next: next_max }

export function readForm(raw: Buffer): Form {
  const form = Object.fromEntries(new URLSearchParams(raw.toString('utf8')))
  inspect(form, 'body')
  for (const [name, value] of Object.entries(form)) {
    if (value.length > (long[name] ?? value_max)) throw unfit(name, 'max_length')
  }
  return form
}

/** An empty field is refused and does not count as an attempt. */
export function required<N extends string>(form: Form, ...names: readonly N[]): Record<N, string> {
  const empty = names.find(name => !form[name])
  if (empty !== undefined) throw unfit(empty, 'required')
  return form as Record<N, string>
}

function unfit(name: string, constraint: string) {
  const errors = [{ location: 'body' as const, pointer: `/${name}`, constraint }]
  return problem('validation_failed', { errors })
}

/** The form posts to the path without the query, so that a token in the query is not sent again. */
export function form({ path, csrf, fault }: Visit, ...body: readonly Markup[]): Markup {
  return markup`${fault?.field === null && markup`<p class="alert" role="alert">${fault.says}</p>`}
<form method="post" action="${path}">${csrf !== null && hidden({ csrf })}
${body}
</form>`
}

export function hidden(values: Readonly<Record<string, string | undefined>>): Markup {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  return markup`${given.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`)}`
}

export type Field = {
  readonly name: string
  readonly label: string
  readonly type?: 'email' | 'password' | 'text'
  readonly autocomplete: string
  readonly value?: string | undefined
  readonly hint?: string
}

export function field({ fault }: Visit, asked: Field): Markup {
  const { name, label, type = 'text', autocomplete, value, hint } = asked
  const wrong = fault?.field === name ? fault.says : null
  const described = [
    ...(wrong === null ? [] : [`${name}-error`]),
    ...(hint ? [`${name}-hint`] : []),
  ]
  return markup`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" maxlength="${value_max}" required
${value && markup`value="${value}"`} ${described.length > 0 && markup`aria-describedby="${described.join(' ')}"`}
${wrong !== null && markup`aria-invalid="true" autofocus`}>
${wrong !== null && markup`<p class="error" id="${name}-error">${wrong}</p>`}
${hint && markup`<p class="soft" id="${name}-hint">${hint}</p>`}
</div>`
}

export function button(label: string, more: { action?: string; plain?: true } = {}): Markup {
  const { action, plain } = more
  return markup`<button ${action && markup`name="action" value="${action}"`} ${plain && markup`class="plain"`}>${label}</button>`
}
