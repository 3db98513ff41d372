/** Stripe's form encoding: `a[b]=c` and `x[0]=y`. An empty text means null. */
import { malformed } from './api-error.ts'

export type Form = { readonly [name: string]: FormValue }
export type FormValue = string | readonly FormValue[] | Form

type Draft = { [name: string]: string | Draft }

export function parseForm(text: string): Form {
  const draft: Draft = Object.create(null) as Draft
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[')
    let at = draft
    for (const [index, part] of path.entries()) {
      const key = part === '' ? String(Object.keys(at).length) : part
      if (index === path.length - 1) at[key] = value
      else {
        const next = at[key]
        const inner = typeof next === 'object' ? next : (Object.create(null) as Draft)
        at[key] = inner
        at = inner
      }
    }
  }
  return settle(draft) as Form
}

function settle(value: string | Draft): FormValue {
  if (typeof value === 'string') return value
  const keys = Object.keys(value)
  const settled = keys.map(key => settle(value[key] ?? ''))
  if (keys.length > 0 && keys.every((key, index) => key === String(index))) return settled
  return Object.fromEntries(keys.map((key, index) => [key, settled[index] ?? '']))
}

/** Refuses parameters that this endpoint does not know, as Stripe does. */
export function known(form: Form, ...names: string[]): Form {
  for (const name of Object.keys(form)) {
    if (name === 'expand' || names.includes(name)) continue
    throw malformed('parameter_unknown', name, `Received unknown parameter: ${name}`)
  }
  return form
}

export function textOf(form: Form, name: string): string | null {
  const value = form[name]
  return typeof value === 'string' && value !== '' ? value : null
}

export function requiredText(form: Form, name: string): string {
  const value = textOf(form, name)
  if (value === null) {
    throw malformed('parameter_missing', name, `Missing required param: ${name}.`)
  }
  return value
}

export function integerOf(form: Form, name: string): number | null {
  const value = textOf(form, name)
  if (value === null) return null
  if (!/^-?\d{1,15}$/.test(value)) {
    throw malformed('parameter_invalid_integer', name, `Invalid integer: ${value}`)
  }
  return Number(value)
}

export function mapOf(form: Form, name: string): Record<string, string> {
  const value = form[name]
  if (typeof value !== 'object' || Array.isArray(value)) return {}
  return Object.fromEntries(
    Object.entries(value as Form).filter((one): one is [string, string] => {
      return typeof one[1] === 'string'
    }),
  )
}

export function listOf(form: Form, name: string): string[] {
  const value = form[name]
  if (Array.isArray(value)) return value.filter((one): one is string => typeof one === 'string')
  return typeof value === 'string' ? [value] : []
}
