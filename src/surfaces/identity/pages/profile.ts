/**
 * The profile of a visitor: a plain form of the fields that the schema of the home tenant declares as
 * a text, a number, a yes or no, or one of a few values. Other fields are for applications.
 */
import { Type } from 'typebox'
import { markup, nullable, sql, type Markup, type Reader } from '#dodeca/kernel'
import { updateMe } from '../me/update-me.ts'
import { Fields, ProfileSchema } from '../profiles/profile.ts'
import { button, form } from './form.ts'
import { notice, sessionOf, type Form, type Page, type Visit } from './visit.ts'

const path = '/account/profile'
const value_max = 1024

export const profilePage: Page = {
  path,
  summary: 'The page on which a person changes the profile',
  guarded: true,
  show: async visit => {
    const { deps, words, fault } = visit
    const { profile, fields } = await profileOf(deps.kernel.db, sessionOf(visit).id)
    const said = notice(visit)
    const rows = fields.map(one => fieldRow(visit, one, profile[one.name]))
    return {
      title: words.profile,
      body: markup`${said !== null && markup`<p class="notice" role="status">${said}</p>`}
${fields.length === 0 && markup`<p>${words.no_profile}</p>`}
${fields.length > 0 && form(fieldsFault(visit), ...rows, button(words.save))}
${fault && fields.length === 0 && markup`<p class="alert" role="alert">${fault.says}</p>`}
<p><a href="/account/">${words.to_account}</a></p>`,
    }
  },
  submit: async ({ deps, form: given, ...visit }) => {
    const session = sessionOf({ deps, form: given, ...visit })
    const { fields } = await profileOf(deps.kernel.db, session.id)
    const profile = Object.fromEntries(fields.map(one => [one.name, valueOf(one, given)]))
    await deps.kernel.db.tx(tx => updateMe(tx, session, { profile }, undefined))
    return { to: `${path}?done=saved` }
  },
}

type Simple = {
  readonly name: string
  readonly title: string
  readonly kind: 'text' | 'number' | 'boolean' | 'choice'
  readonly choices: readonly string[]
  readonly required: boolean
}

const Row = Type.Object({ profile: Fields, profile_schema: nullable(ProfileSchema) })

export async function profileOf(
  reader: Reader,
  account_id: string,
): Promise<{ profile: Fields; fields: readonly Simple[] }> {
  const { profile, profile_schema } = await reader.one(
    Row,
    sql`
      select a.profile, t.profile_schema from identity.accounts a
      join identity.tenants t on t.id = a.tenant_id
      where a.id = ${account_id}`,
  )
  return { profile, fields: simpleFields(profile_schema ?? {}) }
}

function simpleFields({ properties, required }: Record<string, unknown>): Simple[] {
  const must = Array.isArray(required) ? required : []
  const all = Object.entries(typeof properties === 'object' && properties ? properties : {})
  return all.flatMap(([name, of]) => {
    const { type, title, enum: values } = Object(of) as Record<string, unknown>
    const choices = Array.isArray(values) ? values : []
    const texts = choices.length > 0 && choices.every(one => typeof one === 'string')
    const plain = choices.length > 0 ? undefined : kinds[String(type)]
    const kind = texts ? 'choice' : plain
    if (!kind) return []
    const says = typeof title === 'string' ? title : name
    return [{ name, title: says, kind, choices, required: must.includes(name) }]
  })
}

const kinds: Readonly<Record<string, Simple['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
}

/** A field that is left empty is removed. */
function valueOf({ name, kind }: Simple, given: Form): unknown {
  const value = given[inputOf(name)] ?? ''
  if (kind === 'boolean') return value === 'yes'
  if (value === '') return null
  return kind === 'number' && !Number.isNaN(Number(value)) ? Number(value) : value
}

/** The pointer of an error, without its first slash, as fault.ts names the field. */
function inputOf(name: string): string {
  return `profile/${name}`
}

/** An error of no field that is shown is one of the whole form. */
function fieldsFault(visit: Visit): Visit {
  const { fault, form: given } = visit
  const shown = fault?.field !== null && Object.hasOwn(given, fault?.field ?? '')
  return fault && !shown ? { ...visit, fault: { ...fault, field: null } } : visit
}

function fieldRow({ form: given, fault, words }: Visit, of: Simple, stored: unknown): Markup {
  const { name, title, kind, choices, required } = of
  const input = inputOf(name)
  const value = Object.keys(given).length > 0 ? (given[input] ?? '') : textOf(stored)
  const wrong = fault?.field === input ? fault.says : null
  const common = markup`id="${input}" name="${input}" ${wrong !== null && markup`aria-invalid="true" aria-describedby="${input}-error" autofocus`}`
  const error = markup`${wrong !== null && markup`<p class="error" id="${input}-error">${wrong}</p>`}`
  const label = markup`<label for="${input}">${title}</label>`
  if (kind === 'boolean') {
    const on = value === 'yes' || value === 'true'
    return markup`<div class="field">${label} <input type="checkbox" value="yes" ${common} ${on && markup`checked`}>${error}</div>`
  }
  if (kind === 'choice') {
    const options = choices.map(
      one => markup`<option value="${one}" ${one === value && markup`selected`}>${one}</option>`,
    )
    return markup`<div class="field">${label}
<select ${common}>${!required && markup`<option value="">${words.none}</option>`}${options}</select>${error}</div>`
  }
  const numeric = kind === 'number' && markup`inputmode="decimal"`
  return markup`<div class="field">${label}
<input type="text" maxlength="${value_max}" ${numeric} ${common} ${required && markup`required`} ${value !== '' && markup`value="${value}"`}>${error}</div>`
}

/** A value that does not fit the field, since the schema has changed, is not shown. */
function textOf(stored: unknown): string {
  if (typeof stored === 'string') return stored
  return typeof stored === 'number' || typeof stored === 'boolean' ? String(stored) : ''
}
